package bench

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"hotseat"
)

func validLine(t *testing.T, line string) bool {
	t.Helper()
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(line))
	if err != nil {
		t.Fatalf("%v: %s", err, line)
	}
	return compileSchema(t).Validate(value) == nil
}

// A schema that accepts everything would make the other tests worthless.
func TestSchemaRefusesWhatTheProtocolForbids(t *testing.T) {
	for name, bad := range map[string]string{
		"no object":                     `[]`,
		"unknown event":                 `{"event":"colour","at_s":1}`,
		"no time":                       `{"event":"log","audience":"team","message":"x"}`,
		"negative time":                 `{"event":"log","at_s":-1,"audience":"team","message":"x"}`,
		"phase without name":            `{"event":"phase","at_s":1,"state":"begin","ok":true}`,
		"phase of a third state":        `{"event":"phase","at_s":1,"phase":"load","state":"half","ok":true}`,
		"point of nothing":              `{"event":"point","at_s":1,"tag":"x","count":0}`,
		"failure of an unknown class":   `{"event":"failure","at_s":1,"class":"luck","code":"x","side":"target","message":"m","sampled":true,"count":1}`,
		"our failure blamed on them":    `{"event":"failure","at_s":1,"class":"author","code":"x","side":"target","message":"m","sampled":true,"count":1}`,
		"sample of two":                 `{"event":"failure","at_s":1,"class":"content","code":"x","side":"target","message":"m","sampled":true,"count":2}`,
		"details without sample":        `{"event":"failure","at_s":1,"class":"content","code":"x","side":"target","message":"m","sampled":false,"count":2,"curl":"curl"}`,
		"message of two lines":          `{"event":"failure","at_s":1,"class":"content","code":"x","side":"target","message":"a\nb","sampled":true,"count":1}`,
		"score on infra":                `{"event":"verdict","at_s":1,"verdict":"infra","reason":"r","score":3,"raw_score":3,"deduction":0}`,
		"score on fail":                 `{"event":"verdict","at_s":1,"verdict":"fail","reason":"r","score":3,"raw_score":3,"deduction":0}`,
		"no score on pass":              `{"event":"verdict","at_s":1,"verdict":"pass","reason":"r","score":null,"raw_score":3,"deduction":0}`,
		"verdict without reason":        `{"event":"verdict","at_s":1,"verdict":"pass","reason":"","score":3,"raw_score":3,"deduction":0}`,
		"reply without outcome":         `{"id":1}`,
		"reply to nothing":              `{"id":0,"ok":true}`,
		"request without action":        `{"event":"request","at_s":1,"id":1}`,
		"progress with half a request":  `{"event":"progress","at_s":1,"score":1,"requests":1.5,"errors":0,"users":1,"lag_ms":0,"generator_cpu_s":0}`,
		"exercised a rule minus once":   `{"event":"verdict","at_s":1,"verdict":"pass","reason":"r","score":3,"raw_score":3,"deduction":0,"rules":{"x":-1}}`,
		"words for an unknown audience": `{"event":"log","at_s":1,"audience":"press","message":"x"}`,
	} {
		if validLine(t, bad) {
			t.Errorf("%s is accepted: %s", name, bad)
		}
	}
}

func TestSchemaAcceptsReplies(t *testing.T) {
	for _, reply := range []hotseat.Reply{{ID: 1, OK: true}, {ID: 2, Error: "not ours"}} {
		line, err := json.Marshal(reply)
		if err != nil {
			t.Fatal(err)
		}
		if !validLine(t, string(line)) {
			t.Errorf("%s is refused", line)
		}
	}
}

func TestExamplesInTheProtocolAreValid(t *testing.T) {
	text, err := os.ReadFile("../docs/protocol.md")
	if err != nil {
		t.Fatal(err)
	}
	_, block, _ := strings.Cut(string(text), "```json\n")
	block, _, _ = strings.Cut(block, "```")
	lines := strings.Split(strings.TrimSpace(block), "\n")
	if len(lines) < 3 {
		t.Fatalf("found %d examples", len(lines))
	}
	for _, l := range lines {
		if !validLine(t, l) {
			t.Errorf("the example breaks the schema: %s", l)
		}
	}
}
