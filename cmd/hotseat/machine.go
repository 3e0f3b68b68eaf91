package main

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"hotseat/problem"
	"hotseat/service"
)

// What a machine should have. The numbers are those at which the built-in
// problems run without the machine being the limit.
const (
	wantedFiles     = 4096
	wantedPorts     = 20_000
	wantedSomaxconn = 1024
	wantedMemory    = 2 << 30
	wantedDisk      = 2 << 30
)

// tool is a program and the Debian package it comes from, or a library that
// is known by its package alone.
type tool struct {
	name    string
	pkg     string
	purpose string
	library bool
}

// toolsOf are the programs that a service or a language needs.
var toolsOf = map[string][]tool{
	"mariadb": {
		{name: "mariadbd", pkg: "mariadb-server-core", purpose: "the database"},
		{name: "mariadb-install-db", pkg: "mariadb-server-core", purpose: "makes an empty database"},
		{name: "mariadb", pkg: "mariadb-client-core", purpose: "the database's command line"},
	},
	"nginx":     {{name: "nginx", pkg: "nginx", purpose: "the web server"}},
	"redis":     {{name: "redis-server", pkg: "redis-server", purpose: "the key-value store"}},
	"memcached": {{name: "memcached", pkg: "memcached", purpose: "the cache"}},
	"go":        {{name: "go", pkg: "golang-go", purpose: "builds Go apps"}},
	"python":    {{name: "python3", pkg: "python3", purpose: "runs Python programs"}},
	"percona":   {{name: "pt-query-digest", pkg: "percona-toolkit", purpose: "the digest of slow logs that ours is held against"}},
	"wrk":       {{name: "wrk", pkg: "wrk", purpose: "the load generator that make bench-engine compares with"}},
	"chromium":  {{name: "chromium", pkg: "chromium", purpose: "the browser that the tests of pages walk through them with"}},
}

// toolsFor lists what problems need, each once: in one language, or with "" in
// all that they have.
func toolsFor(language string, problems ...*problem.Problem) []tool {
	tools := []tool{{name: "git", pkg: "git", purpose: "keeps workspaces"}}
	add := func(key string) { tools = include(tools, toolsOf[key]...) }
	addPackages := func(packages []string, purpose string) {
		for _, pkg := range packages {
			tools = include(tools, tool{name: pkg, pkg: pkg, purpose: purpose, library: true})
		}
	}
	for _, p := range problems {
		for _, name := range []string{"mariadb", "nginx", "redis", "memcached"} {
			if p.Services[name] != nil {
				add(name)
			}
		}
		addPackages(p.Packages, p.ID+" needs")
		for _, lang := range p.Languages {
			if language == "" || lang == language {
				add(lang)
				addPackages(p.App[lang].Packages, "the "+lang+" app of "+p.ID+" needs")
			}
		}
		for _, name := range slices.Sorted(maps.Keys(p.Processes)) {
			if build := p.Processes[name].Build; len(build) > 0 {
				add(build[0])
			}
		}
	}
	return tools
}

// everyTool lists what problems need and all else that hotseat can use, each once.
func everyTool(problems ...*problem.Problem) []tool {
	tools := toolsFor("", problems...)
	for _, key := range slices.Sorted(maps.Keys(toolsOf)) {
		tools = include(tools, toolsOf[key]...)
	}
	return tools
}

// include adds those that are not there yet.
func include(tools []tool, more ...tool) []tool {
	for _, t := range more {
		if !slices.ContainsFunc(tools, func(other tool) bool { return t.name == other.name }) {
			tools = append(tools, t)
		}
	}
	return tools
}

func (t tool) check() check {
	c := check{Name: t.name, Required: true, Wanted: t.name + ", which " + t.purpose, packages: []string{t.pkg}, Found: "not installed",
		Mend: strings.Join(asRoot("apt-get", "install", "--no-install-recommends", t.pkg), " ")}
	if t.library {
		c.OK, c.Found = packageInstalled(t.pkg)
	} else if path, ok := service.Locate(t.name); ok {
		c.OK, c.Found = true, path
	}
	return c
}

// packageInstalled asks Debian's package manager. Elsewhere nobody can be asked,
// and the app itself will say what it misses.
func packageInstalled(name string) (ok bool, found string) {
	if _, err := exec.LookPath("dpkg-query"); err != nil {
		return true, "not looked for: this is no Debian"
	}
	out, err := exec.Command("dpkg-query", "-W", "-f", "${db:Status-Status} ${Version}", name).Output()
	status, version, _ := strings.Cut(string(out), " ")
	if err != nil || status != "installed" {
		return false, "not installed"
	}
	return true, version
}

// machineChecks looks at limits that are settings, not packages.
func machineChecks(folders []string) []check {
	checks := []check{fileCheck(), portCheck(), somaxconnCheck(), memoryCheck()}
	for _, dir := range folders {
		checks = append(checks, diskCheck(dir))
	}
	return checks
}

func fileCheck() check {
	c := check{Name: "file descriptors", Wanted: fmt.Sprintf("at least %d", wantedFiles),
		Mend: "ulimit -Hn 65536 (as root), or nofile in /etc/security/limits.conf"}
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		c.Found = err.Error()
		return c
	}
	c.Found, c.OK = fmt.Sprintf("%d", limit.Max), limit.Max >= wantedFiles
	return c
}

func portCheck() check {
	c := check{Name: "ephemeral ports", Wanted: fmt.Sprintf("at least %d, above 31999", wantedPorts),
		sysctl: "net.ipv4.ip_local_port_range=32768 60999"}
	c.Mend = strings.Join(asRoot("sysctl", "-w", "'"+c.sysctl+"'"), " ")
	fields := strings.Fields(readProc("net/ipv4/ip_local_port_range"))
	if len(fields) != 2 {
		c.Found, c.OK = "not visible here", true
		return c
	}
	from, _ := strconv.Atoi(fields[0])
	to, _ := strconv.Atoi(fields[1])
	c.Found, c.OK = fmt.Sprintf("%d–%d", from, to), to-from+1 >= wantedPorts
	return c
}

func somaxconnCheck() check {
	c := check{Name: "somaxconn", Wanted: fmt.Sprintf("at least %d", wantedSomaxconn), sysctl: "net.core.somaxconn=4096"}
	c.Mend = strings.Join(asRoot("sysctl", "-w", c.sysctl), " ")
	text := readProc("net/core/somaxconn")
	n, err := strconv.Atoi(text)
	if err != nil {
		c.Found, c.OK = "not visible here", true
		return c
	}
	c.Found, c.OK = text, n >= wantedSomaxconn
	return c
}

func memoryCheck() check {
	c := check{Name: "memory", Wanted: gigabytes(wantedMemory) + " available", Mend: "close what else runs"}
	text, _ := os.ReadFile("/proc/meminfo") // unreadable counts as none
	for line := range strings.SplitSeq(string(text), "\n") {
		if rest, ok := strings.CutPrefix(line, "MemAvailable:"); ok {
			kb, _ := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64)
			c.Found, c.OK = gigabytes(kb<<10), kb<<10 >= wantedMemory
		}
	}
	return c
}

func diskCheck(dir string) check {
	c := check{Name: "disk", Wanted: gigabytes(wantedDisk) + " free in " + dir, Mend: "free some space, or choose another folder"}
	for { // the folder itself may not be there yet
		var s unix.Statfs_t
		err := unix.Statfs(dir, &s)
		if err == nil {
			free := int64(s.Bavail) * s.Bsize
			c.Found, c.OK = gigabytes(free)+" free in "+dir, free >= wantedDisk
			return c
		}
		if parent := filepath.Dir(dir); parent != dir {
			dir = parent
			continue
		}
		c.Found = err.Error()
		return c
	}
}

func gigabytes(n int64) string { return fmt.Sprintf("%.1f GB", float64(n)/(1<<30)) }

// readProc reads one value of /proc/sys; "" where it is not visible.
func readProc(name string) string {
	text, err := os.ReadFile("/proc/sys/" + name)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}
