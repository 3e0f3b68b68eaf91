package stack

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// fake plays a server. Its arguments say what it does, in order:
//
//	listen=ADDR      listens; answers "PING" with "+PONG", HTTP with 200, and greets like MariaDB if ADDR begins with "mariadb:"
//	say=TEXT         writes a line
//	sleep=D          waits
//	child=ARG,ARG    starts another fake in its group and goes on
//	setsid=ARG,ARG   the same in a session of its own, with its parent gone
//	bare-setsid=…    the same with an empty environment
//	ignore=TERM      ignores a signal
//	slowstop=D       takes that long to end after TERM
//	note=FILE        appends "start NAME"/"stop NAME" lines there
//	eat=MB           takes that much memory, ten megabytes at a time, and keeps it
//	exit=N           ends
//	die              dies by SIGKILL
//	serve            waits for TERM, QUIT or INT and ends
func fake(args []string) int {
	stop := make(chan os.Signal, 4)
	signal.Notify(stop, syscall.SIGTERM, syscall.SIGQUIT, syscall.SIGINT)
	var slow time.Duration
	ignore := map[os.Signal]bool{}
	note := func(string) {}
	for _, arg := range args {
		key, value, _ := strings.Cut(arg, "=")
		switch key {
		case "listen":
			if err := fakeListen(value); err != nil {
				fmt.Println("cannot listen:", err)
				return 1
			}
		case "say":
			fmt.Println(value)
		case "sleep":
			d, err := time.ParseDuration(value)
			if err != nil {
				return 9
			}
			time.Sleep(d)
		case "child", "setsid", "bare-setsid":
			if err := fakeChild(key, strings.Split(value, ",")); err != nil {
				fmt.Println(err)
				return 1
			}
		case "ignore":
			ignore[stopSignals[value]] = true
		case "slowstop":
			slow, _ = time.ParseDuration(value)
		case "note":
			file, name, _ := strings.Cut(value, ":")
			note = func(what string) {
				f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
				if err == nil {
					fmt.Fprintln(f, what, name)
					_ = f.Close()
				}
			}
			note("start")
		case "eat":
			mb, err := strconv.Atoi(value)
			if err != nil {
				return 9
			}
			for ; mb > 0; mb -= 10 {
				// Not from Go's heap: the race detector shadows that with more of its own.
				if _, err := unix.Mmap(-1, 0, min(mb, 10)<<20, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON|unix.MAP_POPULATE); err != nil {
					fmt.Println("no memory:", err)
					return 9
				}
				time.Sleep(10 * time.Millisecond)
			}
		case "exit":
			code, err := strconv.Atoi(value)
			if err != nil {
				return 9
			}
			return code
		case "die":
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			time.Sleep(time.Minute)
		case "serve":
			for sig := range stop {
				if !ignore[sig] {
					time.Sleep(slow)
					note("stop")
					fmt.Println("ended by", sig)
					return 0
				}
			}
		}
	}
	return 0
}

func fakeChild(how string, args []string) error {
	cmd := exec.Command("/proc/self/exe", append([]string{"_fake"}, args...)...)
	cmd.Args[0] = os.Args[0]
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if how == "child" {
		return cmd.Start()
	}
	// A shell in between starts it and ends, so that it is an orphan in a session of its own.
	quoted := "setsid '" + os.Args[0] + "' _fake '" + strings.Join(args, "' '") + "' & exit 0"
	if how == "bare-setsid" {
		quoted = "setsid env -i '" + os.Args[0] + "' _fake '" + strings.Join(args, "' '") + "' & exit 0"
	}
	cmd = exec.Command("/bin/sh", "-c", quoted)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	return cmd.Run()
}

func fakeListen(a string) error {
	a, greet := strings.CutPrefix(a, "mariadb:")
	network, addr := address(a)
	l, err := net.Listen(network, addr)
	if err != nil {
		return err
	}
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer func() { _ = conn.Close() }()
				if greet {
					fmt.Fprint(conn, "\x4a\x00\x00\x00\x0a10.11.19-fake\x00")
					return
				}
				line, _ := bufio.NewReader(conn).ReadString('\n')
				if strings.HasPrefix(line, "PING") {
					fmt.Fprint(conn, "+PONG\r\n")
				} else {
					fmt.Fprint(conn, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok")
				}
			}()
		}
	}()
	return nil
}
