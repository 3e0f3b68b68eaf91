package nginx

import (
	"cmp"
	"fmt"
	"io/fs"
	"maps"
	"net"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"hotseat"
	"hotseat/service"
)

// Rendering is what becomes of a contestant's nginx configuration.
type Rendering struct {
	// Files are the rendered files by name, relative to the folder. A line of a
	// rendered file has the same number as in the original.
	Files map[string]string
	// Listens are the addresses that the rendered configuration listens on, in
	// stack.Probe's form, canonical ports replaced.
	Listens []Listen
	// Main holds the names of the directives of the main level, those of
	// included files among them.
	Main map[string]bool
}

// Listen is one listen directive.
type Listen struct {
	Address string // 127.0.0.1:20001, 0.0.0.0:20001, [::]:20001 or unix:/path
	// Plain tells whether HTTP can be spoken there without more ado: no TLS, no
	// PROXY protocol.
	Plain bool
}

// Log is an access log that is added for measuring, beside the contestant's
// own. It is added wherever they configure logging of theirs, because nginx's
// logs of an inner level replace those of the outer; `access_log off` gives way
// to it.
type Log struct {
	Name    string // of the log_format
	Format  string // what log_format takes behind the name, quotes included
	Path    string
	Options string // further parameters of access_log, such as "buffer=64k flush=1s"
}

// Options says what a rendering replaces and adds.
type Options struct {
	Substitution service.Substitution
	// OutDir is the folder that the rendered files will lie in; canonical paths
	// that map into it are understood when they are included.
	OutDir string
	// AccessLog is where requests are logged if the configuration names no log
	// at the http level: nginx's own default lies in /var/log.
	AccessLog string
	// TempDir holds the folders for request and response bodies; nginx's own
	// default lies in /var/lib.
	TempDir string
	// Without names modules that this nginx was built without.
	Without map[string]bool
	// Log is added for measuring; nil means none.
	Log *Log
	// Status is a unix socket on which stub_status is added for measuring;
	// empty means none.
	Status string
	// Distribution is /etc/nginx as nginx's package left it; nil means none.
	Distribution fs.FS
}

// Render renders the configuration whose files are in the folder src and whose
// main file is called main.
//
// Replaced are canonical addresses and paths in arguments, and the canonical
// ports of listen directives. Added, without changing the number of any line,
// is what would otherwise be taken from outside the run folder: the access log,
// the five folders for temporary files, and `listen` in servers without one,
// which nginx takes for port 80. A file that cannot be parsed is rendered as
// plain text: nginx itself then says what is wrong with it.
func Render(src fs.FS, main string, opt Options) (*Rendering, error) {
	r := &renderer{
		opt: opt, src: src, main: main,
		files: map[string]*file{}, out: &Rendering{Files: map[string]string{}, Main: map[string]bool{}},
	}
	if _, err := r.load(main); err != nil {
		return nil, hotseat.NotFound("restore it, or `hotseat init` another workspace", "read nginx's configuration: %w", err)
	}
	r.walkLevel(r.level(main, r.files[main].dirs, nil), "main")
	for name, f := range r.files {
		r.out.Files[name] = f.rendered(opt.Substitution)
	}
	if d := r.daemonOn; d != "" {
		return nil, hotseat.Invalid("remove the directive", "%s: `daemon on` cannot be: hotseat keeps nginx in the foreground to watch it", d)
	}
	slices.SortFunc(r.out.Listens, func(a, b Listen) int { return cmp.Compare(a.Address, b.Address) })
	r.out.Listens = slices.Compact(r.out.Listens)
	return r.out, nil
}

type renderer struct {
	opt      Options
	src      fs.FS
	main     string
	files    map[string]*file
	out      *Rendering
	daemonOn string // file and line of a `daemon on`
}

// file is one file with the changes found so far.
type file struct {
	text  string
	dirs  []*directive
	plain bool // not parsed
	edits map[int]edit
}

// edit replaces text[at:end], at being its key. Several visits of a file that
// is included twice find the same edits.
type edit struct {
	end int
	to  string
}

func (r *renderer) load(name string) (*file, error) {
	if f, ok := r.files[name]; ok {
		return f, nil
	}
	b, err := fs.ReadFile(r.src, name)
	if err != nil {
		return nil, err
	}
	f := &file{text: string(b), edits: map[int]edit{}}
	if f.dirs, err = parse(f.text); err != nil {
		f.plain = true
	}
	r.files[name] = f
	return f, nil
}

// visit tells where a directive stands.
type visit struct {
	file *file
	name string // the file's
	d    *directive
}

// level lists the directives of one level, with those of included files in
// place of the include. stack holds the files being included, against circles.
func (r *renderer) level(name string, dirs []*directive, stack []string) []visit {
	var out []visit
	f := r.files[name]
	for _, d := range dirs {
		out = append(out, visit{f, name, d})
		if d.name != "include" || slices.Contains(stack, name) {
			continue
		}
		for _, inc := range r.included(d.arg(0)) {
			if g, err := r.load(inc); err == nil {
				out = append(out, r.level(inc, g.dirs, append(stack, name))...)
			}
		}
	}
	return out
}

// included finds the files in the folder that an include names. Relative names
// are relative to the main file's folder. Files elsewhere stay as they are.
func (r *renderer) included(pattern string) []string {
	if filepath.IsAbs(pattern) {
		rel, err := filepath.Rel(r.opt.OutDir, r.opt.Substitution.Text(pattern))
		if err != nil || !filepath.IsLocal(rel) {
			return nil
		}
		pattern = filepath.ToSlash(rel)
	} else {
		pattern = path.Join(path.Dir(r.main), pattern)
	}
	names, err := fs.Glob(r.src, pattern)
	if err != nil {
		return nil
	}
	return slices.DeleteFunc(names, func(n string) bool {
		fi, err := fs.Stat(r.src, n)
		return err != nil || fi.IsDir()
	})
}

// distribution is where nginx's package keeps mime.types, proxy_params and the like.
const distribution = "/etc/nginx"

// fromDistribution leads an include of a file that the contestant does not have
// but nginx's package does, such as mime.types, to the package's.
func (r *renderer) fromDistribution(v visit) bool {
	name := v.d.arg(0)
	if len(r.included(name)) > 0 {
		return false
	}
	if !filepath.IsAbs(name) {
		name = filepath.Join(distribution, name)
	}
	if !strings.HasPrefix(name, distribution+"/") || r.opt.Distribution == nil {
		return false
	}
	if fi, err := fs.Stat(r.opt.Distribution, strings.TrimPrefix(filepath.Clean(name), distribution+"/")); err != nil || fi.IsDir() {
		return false
	}
	if a := v.d.args[0]; name != v.d.arg(0) {
		v.file.edits[a.start] = edit{a.end, name}
	}
	return true
}

// deepest bounds the nesting: a file that includes itself inside a block would
// have no end. nginx gives up as well.
const deepest = 30

// walkLevel finds the changes in one level and in everything inside.
func (r *renderer) walkLevel(level []visit, context string) {
	if strings.Count(context, "/") > deepest {
		return
	}
	for _, v := range level {
		if v.d.name == "include" && r.fromDistribution(v) {
			continue
		}
		v.substitute(r.opt.Substitution)
		switch {
		case context == "main":
			r.out.Main[v.d.name] = true
			if v.d.name == "daemon" && v.d.arg(0) == "on" {
				r.daemonOn = fmt.Sprintf("%s:%d", v.name, lineOf(v.file.text, v.d.start))
			}
		case context == "http/server" && v.d.name == "listen":
			r.listen(v)
		}
		if v.d.open == 0 || v.d.literal {
			continue
		}
		inner := r.level(v.name, v.d.block, nil)
		switch in := inContext(context, v.d.name); in {
		case "http":
			v.insert(r.httpDefaults(inner))
			r.measure(inner)
			r.walkLevel(inner, in)
		case "http/server":
			if !has(inner, "listen") {
				r.implicitListen(v)
			}
			r.measure(inner)
			r.walkLevel(inner, in)
		default:
			if strings.HasPrefix(in, "http/server") {
				r.measure(inner)
			}
			r.walkLevel(inner, in)
		}
	}
}

// inContext names the level inside a block: main, http, http/server and
// whatever lies deeper, or anything else.
func inContext(outer, block string) string {
	if outer == "main" {
		return block
	}
	return outer + "/" + block
}

func has(level []visit, name string) bool {
	return slices.ContainsFunc(level, func(v visit) bool { return v.d.name == name })
}

// bodies are nginx's folders for temporary files, by the module that owns each.
var bodies = map[string]string{
	"client_body": "", "proxy": "http_proxy_module", "fastcgi": "http_fastcgi_module",
	"uwsgi": "http_uwsgi_module", "scgi": "http_scgi_module",
}

// httpDefaults spells out what nginx would otherwise do outside the run folder.
func (r *renderer) httpDefaults(level []visit) string {
	var add strings.Builder
	for _, body := range slices.Sorted(maps.Keys(bodies)) {
		name := body + "_temp_path"
		if r.opt.TempDir != "" && !has(level, name) && !r.opt.Without[bodies[body]] {
			fmt.Fprintf(&add, " %s %s;", name, quote(filepath.Join(r.opt.TempDir, body)))
		}
	}
	if r.opt.AccessLog != "" && !has(level, "access_log") {
		fmt.Fprintf(&add, " access_log %s combined;", quote(r.opt.AccessLog))
	}
	if l := r.opt.Log; l != nil {
		fmt.Fprintf(&add, " log_format %s %s;", l.Name, l.Format)
		if !has(level, "access_log") {
			add.WriteString(l.directive())
		}
	}
	if r.opt.Status != "" && !r.opt.Without[statusModule] {
		fmt.Fprintf(&add, " server { listen %s; access_log off; location / { stub_status; } }", quote("unix:"+r.opt.Status))
	}
	return add.String()
}

func (l *Log) directive() string {
	return strings.TrimRight(fmt.Sprintf(" access_log %s %s %s", quote(l.Path), l.Name, l.Options), " ") + ";"
}

// measure adds the measuring log to a level that has logs of its own.
func (r *renderer) measure(level []visit) {
	if r.opt.Log == nil {
		return
	}
	added := false
	for _, v := range level {
		if v.d.name != "access_log" {
			continue
		}
		to := ""
		if v.d.arg(0) != "off" {
			to = v.file.text[v.d.start:v.d.end]
			to = v.file.renderedArgs(v.d, r.opt.Substitution, to)
		}
		if !added {
			to += r.opt.Log.directive()
			added = true
		}
		v.file.edits[v.d.start] = edit{v.d.end, strings.TrimLeft(to, " ")}
	}
}

// renderedArgs renders a directive's text, which begins at d.start.
func (f *file) renderedArgs(d *directive, s service.Substitution, text string) string {
	for _, a := range slices.Backward(d.args) {
		text = text[:a.start-d.start] + a.rendered(s) + text[a.end-d.start:]
	}
	return text
}

// rendered is the word after substitution, in its own quotes if it has any.
func (t token) rendered(s service.Substitution) string {
	to := s.Text(t.raw)
	if to != t.raw && t.raw[0] != '"' && t.raw[0] != '\'' && strings.ContainsAny(to, " \t") {
		return quote(s.Text(t.text))
	}
	return to
}

// noPlaces are the directives whose arguments name neither addresses of this
// machine nor files: URIs look like paths.
var noPlaces = map[string]bool{"location": true, "log_format": true, "server_name": true, "rewrite": true}

// substitute replaces addresses and paths in the arguments.
func (v visit) substitute(s service.Substitution) {
	if whole, ok := v.file.edits[v.d.start]; ok && whole.end == v.d.end {
		return // replaced as a whole already
	}
	for _, a := range v.d.args {
		if to := a.rendered(s); to != a.raw && !noPlaces[v.d.name] {
			v.file.edits[a.start] = edit{a.end, to}
		}
	}
	if v.d.literal {
		body := v.file.text[v.d.open : v.d.end-1]
		if to := s.Text(body); to != body {
			v.file.edits[v.d.open] = edit{v.d.end - 1, to}
		}
	}
}

// insert puts text behind a block's brace.
func (v visit) insert(text string) {
	if text != "" {
		v.file.edits[v.d.open] = edit{v.d.open, text}
	}
}

// listen replaces the port of a listen directive and notes its address.
func (r *renderer) listen(v visit) {
	if len(v.d.args) == 0 {
		return
	}
	old := v.d.args[0].text
	if rest, ok := strings.CutPrefix(old, "unix:"); ok {
		r.note("unix:"+r.opt.Substitution.Text(rest), v.d)
		return
	}
	host, port := splitListen(old)
	canonical, err := strconv.Atoi(port)
	if err != nil {
		return // a mistake, or a range: nginx will say
	}
	leased, ok := r.opt.Substitution.Port(canonical)
	if ok {
		to := strconv.Itoa(leased)
		if host != "" {
			to = host + ":" + to
		}
		v.file.edits[v.d.args[0].start] = edit{v.d.args[0].end, to}
	} else {
		leased = canonical
	}
	r.note(listenAddress(host, leased), v.d)
}

// splitListen reads the first argument of listen: a port, an address, or both.
// nginx's default port is 80.
func splitListen(arg string) (host, port string) {
	if _, err := strconv.Atoi(arg); err == nil {
		return "", arg
	}
	if host, port, err := net.SplitHostPort(arg); err == nil {
		if strings.Contains(host, ":") {
			host = "[" + host + "]"
		}
		return host, port
	}
	return arg, "80"
}

func listenAddress(host string, port int) string {
	switch host {
	case "", "*":
		host = "0.0.0.0"
	case "localhost":
		host = "127.0.0.1"
	}
	return host + ":" + strconv.Itoa(port)
}

func (r *renderer) note(address string, d *directive) {
	plain := true
	for _, a := range d.args {
		switch a.text {
		case "ssl", "quic", "proxy_protocol":
			plain = false
		}
	}
	if _, _, err := net.SplitHostPort(address); err != nil && !strings.HasPrefix(address, "unix:") {
		return
	}
	r.out.Listens = append(r.out.Listens, Listen{Address: address, Plain: plain})
}

// implicitListen spells out nginx's default of port 80, if that is one of the
// contest's.
func (r *renderer) implicitListen(v visit) {
	port, ok := r.opt.Substitution.Port(80)
	if !ok {
		return
	}
	v.insert(fmt.Sprintf(" listen %d;", port))
	r.note(listenAddress("", port), &directive{})
}

// rendered applies the edits.
func (f *file) rendered(s service.Substitution) string {
	if f.plain {
		return s.Text(f.text)
	}
	var out strings.Builder
	pos := 0
	for _, at := range slices.Sorted(maps.Keys(f.edits)) {
		if at < pos {
			continue // inside of what was replaced as a whole
		}
		e := f.edits[at]
		out.WriteString(f.text[pos:at])
		out.WriteString(e.to)
		pos = e.end
	}
	out.WriteString(f.text[pos:])
	return out.String()
}

// quote writes a word so that nginx reads it as one.
func quote(word string) string {
	if !strings.ContainsAny(word, " \t\r\n;{}\"'\\#") && word != "" {
		return word
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\r", `\r`, "\t", `\t`).Replace(word) + `"`
}
