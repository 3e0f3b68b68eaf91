// Command webapp holds a vote: a page with the results, and a form.
//
// Every vote is a line of a file, every page counts all of them again. Nobody
// minded while there were few.
package main

import (
	"bufio"
	"fmt"
	"html/template"
	"log"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"sync"
)

var candidates = []string{"Ant", "Bee", "Cat", "Dog", "Elk", "Fox", "Gnu", "Hen", "Ibex", "Jay"}

// initialVotes is what each candidate starts with.
const initialVotes = 5000

const page = `<!DOCTYPE html>
<html lang="en">
<head><meta charset="UTF-8"><title>The vote</title></head>
<body>
<h1>The vote</h1>
<form method="post" action="/votes">
<table>
{{range .}}<tr><td><button name="candidate" value="{{.ID}}">{{.Name}}</button></td><td class="votes">{{.Votes}}</td></tr>
{{end}}</table>
</form>
</body>
</html>
`

type candidate struct {
	ID    int
	Name  string
	Votes int
}

type app struct {
	file string // a candidate's number per line
	mu   sync.Mutex
}

func main() {
	a := &app{file: os.Getenv("VOTES_FILE")}
	if err := os.MkdirAll(filepath.Dir(a.file), 0o755); err != nil {
		log.Fatal(err)
	}
	http.HandleFunc("GET /{$}", a.results)
	http.HandleFunc("POST /votes", a.vote)
	http.HandleFunc("POST /initialize", a.initialize)
	log.Fatal(http.ListenAndServe("127.0.0.1:"+os.Getenv("PORT"), nil))
}

func (a *app) results(w http.ResponseWriter, _ *http.Request) {
	a.mu.Lock()
	defer a.mu.Unlock()
	var rows []candidate
	for id, name := range candidates {
		n, err := a.count(id)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		rows = append(rows, candidate{id, name, n})
	}
	t, err := template.New("page").Parse(page)
	if err == nil {
		err = t.Execute(w, rows)
	}
	if err != nil {
		log.Print(err)
	}
}

// count reads the votes for one candidate.
func (a *app) count(id int) (int, error) {
	f, err := os.Open(a.file)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	n := 0
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		if lines.Text() == strconv.Itoa(id) {
			n++
		}
	}
	return n, lines.Err()
}

func (a *app) vote(w http.ResponseWriter, r *http.Request) {
	id, err := strconv.Atoi(r.FormValue("candidate"))
	if err != nil || id < 0 || id >= len(candidates) {
		http.Error(w, "no such candidate", http.StatusBadRequest)
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	f, err := os.OpenFile(a.file, os.O_APPEND|os.O_WRONLY, 0)
	if err == nil {
		_, err = fmt.Fprintln(f, id)
		f.Close()
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	http.Redirect(w, r, "/", http.StatusSeeOther)
}

func (a *app) initialize(w http.ResponseWriter, _ *http.Request) {
	a.mu.Lock()
	defer a.mu.Unlock()
	f, err := os.Create(a.file)
	if err == nil {
		out := bufio.NewWriter(f)
		for i := range initialVotes * len(candidates) {
			fmt.Fprintln(out, i%len(candidates))
		}
		err = out.Flush()
		f.Close()
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
	}
}
