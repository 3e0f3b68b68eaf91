package accesslog

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hotseat"
	"hotseat/measure/logfile"
)

func digest(t testing.TB, o Options, logs ...string) *hotseat.AccessDigest {
	t.Helper()
	var inputs []logfile.Input
	for i, log := range logs {
		inputs = append(inputs, logfile.Reader(fmt.Sprintf("log%d", i), strings.NewReader(log)))
	}
	d, err := Digest(t.Context(), inputs, o)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// story is what a table wants to say of a digest, in short: one line per route.
func story(d *hotseat.AccessDigest) string {
	var b strings.Builder
	for _, r := range d.Routes {
		fmt.Fprintf(&b, "%s %s n=%d", r.Method, r.Template, r.Count)
		if r.RequestTime.Count > 0 {
			fmt.Fprintf(&b, " t=%g", math.Round(r.RequestTime.Sum*1e9)/1e9)
		}
		if r.UpstreamTime.Count > 0 {
			fmt.Fprintf(&b, " up=%g", math.Round(r.UpstreamTime.Sum*1e9)/1e9)
		}
		if r.Retries+r.Redirects > 0 {
			fmt.Fprintf(&b, " retries=%d redirects=%d", r.Retries, r.Redirects)
		}
		if r.Bytes.Count > 0 {
			fmt.Fprintf(&b, " bytes=%d", r.Bytes.Sum)
		}
		for _, c := range []struct {
			name string
			n    int64
		}{{"2xx", r.Status.Success}, {"3xx", r.Status.Redirection}, {"4xx", r.Status.Client}, {"499", r.Status.GaveUp}, {"5xx", r.Status.Server}, {"other", r.Status.Other}} {
			if c.n > 0 {
				fmt.Fprintf(&b, " %s=%d", c.name, c.n)
			}
		}
		b.WriteByte('\n')
	}
	if d.Unparsed > 0 {
		fmt.Fprintf(&b, "unparsed=%d: %s\n", d.Unparsed, d.UnparsedExamples[0].Why)
	}
	return b.String()
}

// TestFormats is the corpus of formats that people have, each with its traps.
func TestFormats(t *testing.T) {
	for name, c := range map[string]struct {
		log, format, unit, want string
	}{
		"alp's LTSV": {"time:21/Nov/2026:23:05:06 +0900\thost:10.0.0.1\tforwardedfor:-\treq:GET /u/1?x=y HTTP/1.1\tmethod:GET\turi:/u/1?x=y\tstatus:200\tsize:12\treferer:-\tua:x y\treqtime:0.012\tapptime:0.010\tvhost:h\n", "ltsv", "s",
			"GET /u/* n=1 t=0.012 up=0.01 bytes=12 2xx=1\n"},
		"isukit's LTSV": {"time:2026-11-21T23:05:06+09:00\tmethod:GET\turi:/\tstatus:200\tsize:5\treqtime:0.000\tapptime:-\tvhost:h\n", "ltsv", "s",
			"GET / n=1 t=0 bytes=5 2xx=1\n"},
		"nginx's names in LTSV": {"time_local:x\trequest_time:0.5\tupstream_response_time:0.4\trequest_method:POST\trequest_uri:/a\turi:/index.php\tstatus:302\tbody_bytes_sent:0\n", "ltsv", "s",
			"POST /a n=1 t=0.5 up=0.4 bytes=0 3xx=1\n"},
		"lists of tries": {"method:GET\turi:/a\tstatus:200\tsize:1\treqtime:0.700\tapptime:0.100, 0.200 : 0.300\n" +
			"method:GET\turi:/a\tstatus:502\tsize:-\treqtime:0.001\tapptime:-, 0.001\n", "ltsv", "s",
			"GET /a n=2 t=0.701 up=0.601 retries=2 redirects=1 bytes=1 2xx=1 5xx=1\n"},
		"escapes of nginx": {`method:GET` + "\t" + `uri:/q\x22x/\xE7\x8C\xAB` + "\tstatus:400\tsize:0\treqtime:0.1\n", "ltsv", "s",
			"GET /*/* n=1 t=0.1 bytes=0 4xx=1\n"},
		"a client that gave up, and one that sent nonsense": {"method:GET\turi:/\tstatus:499\tsize:0\treqtime:1.000\tapptime:-\nmethod:-\turi:-\tstatus:400\tsize:0\treqtime:0.000\tapptime:-\nmethod:GET\turi:/\tstatus:000\tsize:0\treqtime:0.000\tapptime:-\n", "ltsv", "s",
			"GET / n=2 t=1 bytes=0 499=1 other=1\n- - n=1 t=0 bytes=0 4xx=1\n"},
		"bad percent signs and absolute form": {"method:GET\turi:/a%zz\tstatus:200\treqtime:0.1\nmethod:GET\turi:http://h:80/b?c=%\tstatus:200\treqtime:0.1\n", "ltsv", "s",
			"GET /* n=1 t=0.1 2xx=1\nGET /b n=1 t=0.1 2xx=1\n"},
		"alp's JSON": {`{"time":"2026-11-21T23:05:06+09:00","method":"GET","uri":"/a","status":200,"body_bytes":10,"request_time":0.2,"response_time":"0.1"}` + "\n" +
			`{"time":"x","method":"GET","uri":"/a","status":"404","body_bytes":"0","request_time":"0.300","response_time":"-"}` + "\n", "json", "s",
			"GET /a n=2 t=0.5 up=0.1 bytes=10 2xx=1 4xx=1\n"},
		"JSON with escapes": {`{"uri":"\/caf\u00e9\/1","method":"GET","status":200,"request_time":1.5e-3,"headers":{"a":["b","}"]},"x":null}` + "\n", "json", "s",
			"GET /*/* n=1 t=0.0015 2xx=1\n"},
		"Caddy": {`{"level":"info","ts":1795302306.12,"logger":"http","request":{"remote_ip":"::1","method":"GET","host":"h","uri":"/a?b","headers":{"User-Agent":["x \"y\""]}},"duration":0.0123,"size":7,"status":200}` + "\n", "json", "s",
			"GET /a n=1 t=0.0123 bytes=7 2xx=1\n"},
		"JSON that names its unit": {`{"method":"GET","path":"/a","status":200,"duration_ms":12.5}` + "\n" + `{"method":"GET","path":"/a","status":200,"duration_ms":7}` + "\n", "json", "s",
			"GET /a n=2 t=0.0195 2xx=2\n"},
		"JSON with units behind the numbers": {`{"method":"GET","uri":"/a","status":200,"latency":"850µs"}` + "\n" + `{"method":"GET","uri":"/a","status":200,"latency":"1.2ms"}` + "\n", "json", "s",
			"GET /a n=2 t=0.00205 2xx=2\n"},
		"combined": {`127.0.0.1 - - [21/Nov/2026:23:05:06 +0900] "GET /a HTTP/1.1" 200 12 "-" "Mozilla/5.0 (X; \"Y\") 12"` + "\n", "combined", "",
			"GET /a n=1 bytes=12 2xx=1\n"},
		"common": {`127.0.0.1 - bob smith [21/Nov/2026:23:05:06 +0900] "GET /a HTTP/1.0" 200 -` + "\n", "combined", "",
			"GET /a n=1 2xx=1\n"},
		"combined with two numbers, the response first": {`h - - [21/Nov/2026:23:05:06 +0900] "GET /a HTTP/1.1" 200 12 "-" "ua" 0.010 0.012` + "\n" + `h - - [21/Nov/2026:23:05:06 +0900] "GET /a HTTP/1.1" 200 12 "-" "ua" - 0.001` + "\n", "combined", "s",
			"GET /a n=2 t=0.013 up=0.01 bytes=24 2xx=2\n"},
		"combined with two numbers, the request first": {`h - - [21/Nov/2026:23:05:06 +0900] "GET /a HTTP/1.1" 200 12 "-" "ua" 0.050 0.010, 0.020` + "\n", "combined", "s",
			"GET /a n=1 t=0.05 up=0.03 retries=1 redirects=0 bytes=12 2xx=1\n"},
		"combined with names": {`h - - [21/Nov/2026:23:05:06 +0900] "GET /a HTTP/1.1" 200 12 "-" "ua" "10.0.0.1" rt=0.050 uct="0.001" uht="0.010" urt="0.010, 0.020"` + "\n", "combined", "s",
			"GET /a n=1 t=0.05 up=0.03 retries=1 redirects=0 bytes=12 2xx=1\n"},
		"Rack": {`127.0.0.1 - - [21/Nov/2026:23:05:06 +0900] "GET /a?b=c HTTP/1.1" 200 12 0.0034` + "\n", "combined", "s",
			"GET /a n=1 t=0.0034 bytes=12 2xx=1\n"},
		"a TLS handshake on a plain port": {`h - - [21/Nov/2026:23:05:06 +0900] "\x16\x03\x01\x02" 400 166 "-" "-"` + "\n", "combined", "",
			"- - n=1 bytes=166 4xx=1\n"},
		"lines that nobody can read": {"method:GET\turi:/a\tstatus:200\treqtime:0.1\ngarbage\nmethod:GET\turi:/a\tstatus:abc\treqtime:0.1\nmethod:GET\turi:/a\tstatus:200\treqtime:fast\n\n\x00\x00\x00\nmethod:GET\turi:/a\tstatus:200\tsize:many\treqtime:0.1\n", "ltsv", "s",
			"GET /a n=1 t=0.1 2xx=1\nunparsed=5: no label:value pairs between tabs\n"},
		"windows line ends and no last one": {"method:GET\turi:/a\tstatus:200\treqtime:0.1\r\nmethod:GET\turi:/a\tstatus:200\treqtime:0.2", "ltsv", "s",
			"GET /a n=2 t=0.3 2xx=2\n"},
	} {
		t.Run(name, func(t *testing.T) {
			d := digest(t, Options{}, c.log)
			if diff := cmp.Diff(c.want, story(d)); diff != "" {
				t.Errorf("digest (-want +got):\n%s", diff)
			}
			if d.Files[0].Format != c.format || d.TimeUnit != c.unit {
				t.Errorf("format %s, unit %s (%s); want %s, %s", d.Files[0].Format, d.TimeUnit, d.UnitBasis, c.format, c.unit)
			}
			if d.Lines != d.Requests+d.Unparsed+d.Filtered {
				t.Errorf("%d lines are not %d requests, %d unparsed and %d filtered", d.Lines, d.Requests, d.Unparsed, d.Filtered)
			}
		})
	}
}

// TestUnits is about whole numbers, whose unit only their size tells.
func TestUnits(t *testing.T) {
	log := func(values ...string) string {
		var b strings.Builder
		for i := range 120 {
			fmt.Fprintf(&b, `h - - [21/Nov/2026:23:05:06 +0900] "GET /a HTTP/1.1" 200 12 "-" "ua" %s`+"\n", values[i%len(values)])
		}
		return b.String()
	}
	for name, c := range map[string]struct {
		log, want string
		unit      string // asked for
	}{
		"Apache's %D":           {log("150000", "2300", "981", "412"), "us", ""},
		"fast, in microseconds": {log("151", "230", "98", "412"), "us", ""},
		"milliseconds":          {log("3", "120", "98", "412"), "ms", ""},
		"whole seconds":         {log("0", "1", "0", "12"), "s", ""},
		"fractions":             {log("0.1", "12.5"), "s", ""},
		"fractions of a large":  {log("153.48", "99.1", "12.5", "88.2"), "ms", ""},
		"nanoseconds":           {log("150000000", "230000000"), "ns", ""},
		"asked for":             {log("3", "120"), "us", "us"},
	} {
		t.Run(name, func(t *testing.T) {
			d := digest(t, Options{TimeUnit: c.unit}, c.log)
			if d.TimeUnit != c.want || d.UnitBasis == "" {
				t.Errorf("unit %s (%s), want %s", d.TimeUnit, d.UnitBasis, c.want)
			}
		})
	}
	d := digest(t, Options{}, log("150000"))
	if got := d.Total.RequestTime; got.P50 != 0.15 || got.Max != 0.15 || math.Abs(got.Sum-18) > 1e-9 {
		t.Errorf("150000 µs became %+v", got)
	}
}

func TestRegexp(t *testing.T) {
	pattern := regexp.MustCompile(`^(?P<time>\S+) (?P<method>[A-Z]+) (?P<uri>\S+) => (?P<status>\d+) in (?P<request_time>\S+)ms$`)
	d := digest(t, Options{Pattern: pattern, TimeUnit: "ms"}, "2026-11-21T23:05:06Z GET /a/1 => 200 in 12.5ms\nnothing\n")
	if got, want := story(d), "GET /a/* n=1 t=0.0125 2xx=1\nunparsed=1: the regular expression does not match\n"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	for _, bad := range []Options{{Pattern: regexp.MustCompile(`(?P<status>\d+)`)}, {Pattern: pattern, Format: FormatJSON}, {Format: "xml"}, {TimeUnit: "h"}, {Format: FormatRegexp}, {From: 2, To: 1}} {
		if _, err := Digest(t.Context(), nil, bad); hotseat.CodeOf(err) != hotseat.CodeInvalid {
			t.Errorf("%+v: %v", bad, err)
		}
	}
}

func TestMatchOverridesInference(t *testing.T) {
	log := ""
	for i := range 30 {
		log += fmt.Sprintf("method:GET\turi:/items/%d\tstatus:200\treqtime:0.1\nmethod:GET\turi:/login\tstatus:200\treqtime:0.1\n", i)
	}
	d := digest(t, Options{Match: []*regexp.Regexp{regexp.MustCompile(`^/items/\d{1}$`), regexp.MustCompile("^/(login|logout)$")}}, log)
	want := "GET ^/(login|logout)$ n=30 t=3 2xx=30\nGET /items/* n=20 t=2 2xx=20\nGET ^/items/\\d{1}$ n=10 t=1 2xx=10\n"
	if diff := cmp.Diff(want, story(d)); diff != "" {
		t.Errorf("digest (-want +got):\n%s", diff)
	}
}

func TestUnknownFormatIsAnError(t *testing.T) {
	_, err := Digest(t.Context(), []logfile.Input{logfile.Reader("x", strings.NewReader("hello\nworld\n"))}, Options{})
	if hotseat.CodeOf(err) != hotseat.CodeInvalid || !strings.Contains(err.Error(), `"hello"`) {
		t.Errorf("error %v", err)
	}
	d := digest(t, Options{}, "")
	if d.Requests != 0 || len(d.Routes) != 0 {
		t.Errorf("an empty log has %d requests", d.Requests)
	}
}

func TestFilesOfManyFormatsAndGzip(t *testing.T) {
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	_, err := z.Write([]byte(`{"method":"GET","uri":"/a","status":200,"request_time":0.2}` + "\n"))
	if err != nil || z.Close() != nil {
		t.Fatal(err)
	}
	d := digest(t, Options{}, "method:GET\turi:/a\tstatus:200\treqtime:0.1\nbad\n", zipped.String(), `h - - [21/Nov/2026:23:05:06 +0900] "GET /a HTTP/1.1" 200 12 "-" "ua" 0.3`+"\nbad\n")
	if got, want := story(d), "GET /a n=3 t=0.6 bytes=12 2xx=3\nunparsed=2: no label:value pairs between tabs\n"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	want := []hotseat.DigestInput{{Name: "log0", Format: "ltsv", Lines: 2, Bytes: 45}, {Name: "log1", Format: "json", Compression: "gzip", Lines: 1, Bytes: 60}, {Name: "log2", Format: "combined", Lines: 2, Bytes: 77}}
	if diff := cmp.Diff(want, d.Files); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	if bad := d.UnparsedExamples[1]; bad.File != "log2" || bad.Line != 2 {
		t.Errorf("the second unreadable line is said to be %s:%d", bad.File, bad.Line)
	}
}

func TestTimesOfDay(t *testing.T) {
	for text, want := range map[string]float64{
		"21/Nov/2026:23:05:06 +0900": 1795269906, "2026-11-21T23:05:06+09:00": 1795269906, "2026-11-21T14:05:06.5Z": 1795269906.5,
		"2026-11-21 14:05:06": 1795269906, "1795269906.250": 1795269906.25, "1795269906250": 1795269906.25, "Sat, 21 Nov 2026 14:05:06 GMT": 1795269906,
		"2024-02-29T00:00:00Z": 1709164800, "31/Dec/1999:23:59:59 -0000": 946684799,
	} {
		if got, ok := parseTime([]byte(text)); !ok || math.Abs(got-want) > 1e-6 {
			t.Errorf("%s is %f, %v; want %f", text, got, ok, want)
		}
	}
	for _, text := range []string{"", "-", "yesterday", "21/Foo/2026:23:05:06 +0900", "2026-13-21T14:05:06Z", "21/Nov/2026:23:05:06 +0"} {
		if got, ok := parseTime([]byte(text)); ok {
			t.Errorf("%q is %f", text, got)
		}
	}
	log := "msec:100.000\tmethod:GET\turi:/\tstatus:200\nmsec:200.500\tmethod:GET\turi:/\tstatus:200\nmethod:GET\turi:/\tstatus:200\n"
	d := digest(t, Options{From: 150, To: 300}, log)
	if d.Requests != 2 || d.Filtered != 1 || d.FirstUnix != 200.5 || len(d.Notes) != 1 {
		t.Errorf("%d requests, %d filtered, from %v, notes %q", d.Requests, d.Filtered, d.FirstUnix, d.Notes)
	}
}

// Workers and blocks must not matter: the same digest whatever their number.
func TestWorkersAgree(t *testing.T) {
	var log strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&log, "time:21/Nov/2026:23:05:%02d +0900\tmethod:GET\turi:/u/user%d/p/%d\tstatus:%d\tsize:%d\treqtime:%d.%03d\treqid:%032x\n", i%60, i%700, i, 200+i%5*100, i, i%3, i%1000, i)
		if i%4000 == 0 {
			fmt.Fprintf(&log, "bad %d\n", i)
		}
	}
	one, two := digest(t, Options{Workers: 1}, log.String()), digest(t, Options{Workers: 3}, log.String())
	if diff := cmp.Diff(one, two); diff != "" {
		t.Errorf("three workers differ from one:\n%s", diff)
	}
	if one.Unparsed != 5 || len(one.Routes) != 1 {
		t.Errorf("%d unparsed, %d routes", one.Unparsed, len(one.Routes))
	}
}

func TestRouteOfRequestIDs(t *testing.T) {
	var log strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&log, "method:GET\turi:/u/%s-%d-x\tstatus:200\treqtime:0.1\treqid:id%08d\nmethod:POST\turi:/login\tstatus:200\treqtime:0.001\treqid:in%08d\n", []string{"ann", "bob"}[i%2], i%300, i, i)
	}
	l, err := Read(t.Context(), []logfile.Input{logfile.Reader("x", strings.NewReader(log.String()))}, Options{RequestIDs: true, WindowS: 1})
	if err != nil {
		t.Fatal(err)
	}
	if len(l.Routes) != 2 || l.Sampled != 1 || !l.HasIDs {
		t.Fatalf("%d routes, sampled 1 in %d", len(l.Routes), l.Sampled)
	}
	for id, want := range map[string]string{"id00000007": "/u/*", "in00001999": "/login"} {
		if at, found, known := l.RouteOf([]byte(id)); !found || !known || l.Routes[at].Template != want {
			t.Errorf("%s is of route %d, found %v, known %v", id, at, found, known)
		}
	}
	if _, found, known := l.RouteOf([]byte("nobody")); found || !known {
		t.Error("an id of nobody was found")
	}
}

func TestIDsAreThinned(t *testing.T) {
	m := newIDs(true)
	r := &route{}
	for i := range 3 * maxIDs {
		m.add(fmt.Appendf(nil, "id%d", i), r)
	}
	if len(m.routes) > maxIDs || m.mask != 3 {
		t.Errorf("%d ids are kept, mask %b", len(m.routes), m.mask)
	}
}

func TestLinesAllocateNothing(t *testing.T) {
	for format, line := range map[string]string{
		FormatLTSV:     "time:21/Nov/2026:23:05:06 +0900\tmethod:GET\turi:/u/123/posts/9?x=1\tstatus:200\tsize:12\treqtime:0.012\tapptime:0.010, 0.001\tua:x\tcachestatus:HIT\tupstream:127.0.0.1:1, 127.0.0.1:2\treqid:5f0c9a1b2c3d4e5f",
		FormatJSON:     `{"time":"2026-11-21T23:05:06Z","method":"GET","uri":"\/u\/123","status":200,"body_bytes":12,"request_time":0.012,"response_time":"-","h":{"a":[1,"]"]}}`,
		FormatCombined: `127.0.0.1 - - [21/Nov/2026:23:05:06 +0900] "GET /a/5f3a9c11.png HTTP/1.1" 200 12 "-" "Mozilla/5.0 (X)" 0.010 0.012`,
	} {
		w := newWorker(&Options{})
		w.parser = w.options.parserFor(format)
		text := []byte(line)
		for range 200 { // past the small sizes of histograms
			if why := w.line(text, 1); why != "" {
				t.Fatalf("%s: %s", format, why)
			}
		}
		if n := testing.AllocsPerRun(200, func() { w.line(text, 1) }); n != 0 {
			t.Errorf("%s: %v allocations for each line", format, n)
		}
	}
}

// nginx itself must take our format, and what it writes must be read in full.
func TestNginxTakesOurFormat(t *testing.T) {
	nginx, err := exec.LookPath("nginx")
	if err != nil {
		t.Fatalf("%v; hotseat doctor --install installs it", err)
	}
	dir := t.TempDir()
	conf := fmt.Sprintf("pid %[1]s/pid;\nerror_log %[1]s/error.log;\nevents {}\nhttp {\n%[2]s\naccess_log %[1]s/access.log %[3]s;\nserver { listen unix:%[1]s/sock; }\n", dir, NginxLogFormat, NginxLogName)
	for _, module := range []string{"client_body", "proxy", "fastcgi", "uwsgi", "scgi"} { // elsewhere only root may
		conf += fmt.Sprintf("%s_temp_path %s/%s;\n", module, dir, module)
	}
	conf += "}\n"
	file := filepath.Join(dir, "nginx.conf")
	if err := os.WriteFile(file, []byte(conf), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), nginx, "-t", "-p", dir, "-c", file).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	sizes, times := []string{"$body_bytes_sent", "$request_length", "$connection"}, []string{"$request_time", "$upstream_response_time", "$upstream_header_time", "$msec"}
	line := regexp.MustCompile(`\$[a-z_]+`).ReplaceAllStringFunc(strings.ReplaceAll(NginxLogVariables, `\t`, "\t"), func(v string) string {
		return map[string]string{"$time_local": "21/Nov/2026:23:05:06 +0900", "$request_method": "GET", "$request_uri": "/", "$status": "200", "$upstream_connect_time": "0.001",
			"$connection_requests": "1", "$request_id": "abc", "$upstream_cache_status": "HIT", "$sent_http_content_encoding": "gzip", "$upstream_addr": "127.0.0.1:80"}[v] +
			map[bool]string{true: "7"}[slices.Contains(sizes, v)] +
			map[bool]string{true: "1.500"}[slices.Contains(times, v)]
	})
	d := digest(t, Options{}, line+"\n")
	r := d.Routes[0]
	if got := []any{r.RequestTime.Sum, r.UpstreamTime.Sum, r.ConnectTime.Sum, r.HeaderTime.Sum, r.Connected, r.FirstOnConn, r.Bytes.Sum, r.RequestBytes.Sum, r.Cache["HIT"], r.Encodings["gzip"], r.Upstreams["127.0.0.1:80"], r.Slowest.RequestID, d.LastUnix}; !cmp.Equal(got,
		[]any{1.5, 1.5, 0.001, 1.5, int64(1), int64(1), int64(7), int64(7), int64(1), int64(1), int64(1), "abc", 1.5}) {
		t.Errorf("our own format was read as %v, from %q", got, line)
	}
}

func FuzzLine(f *testing.F) {
	for _, line := range []string{
		"method:GET\turi:/a\tstatus:200\treqtime:0.1, 0.2 : -", `{"uri":"\/a","status":200,"request":{"method":"GET"},"x":[1,"]"]}`,
		`h - - [21/Nov/2026:23:05:06 +0900] "GET /a HTTP/1.1" 200 12 "-" "ua" rt=0.1 urt="0.1, 0.2" 0.010 0.012`, "time:1e400\turi:\\x\tstatus:1",
	} {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		for _, format := range []string{FormatLTSV, FormatJSON, FormatCombined} {
			w := newWorker(&Options{WindowS: 1, RequestIDs: true})
			w.parser = w.options.parserFor(format)
			before := bytes.Clone(line)
			first, second := w.line(line, 1), w.line(line, 2)
			if first != second {
				t.Errorf("%s: %q gave %q, then %q", format, line, first, second)
			}
			if !bytes.Equal(before, line) {
				t.Errorf("%s: %q was changed to %q", format, before, line)
			}
			if log := finish([]*worker{w}, []hotseat.DigestInput{{}}, w.options); first == "" && log.Requests != 2 || log.Total.RequestTime.Sum < 0 {
				t.Errorf("%s: %q counted %d times, time %v", format, line, log.Requests, log.Total.RequestTime.Sum)
			}
		}
	})
}
