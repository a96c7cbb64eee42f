// Records what `opa eval` answers to the queries in `tests/query/cases.jsonl`: `go run . OPA` in this folder, with the path of OPA 1.22,
// rewrites the file with OPA's answers.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

const folder = "../../query"

type testCase struct {
	Query   string          `json:"query"`
	Package string          `json:"package,omitempty"`
	Imports []string        `json:"imports,omitempty"`
	Input   json.RawMessage `json:"input,omitempty"`
	V0      bool            `json:"v0,omitempty"`
	// Errors of builtins are errors.
	Strict bool `json:"strict,omitempty"`
	// What OPA answers, `{}` for an undefined query, and what it prints.
	Answer  json.RawMessage `json:"answer,omitempty"`
	Printed []string        `json:"printed,omitempty"`
}

func main() {
	opa, err := filepath.Abs(os.Args[1])
	check(err)
	check(os.Chdir(folder))
	text, err := os.ReadFile("cases.jsonl")
	check(err)
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	for _, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		var c testCase
		decoder := json.NewDecoder(strings.NewReader(line))
		decoder.DisallowUnknownFields()
		check(decoder.Decode(&c))
		c.record(opa)
		check(encoder.Encode(c))
	}
	check(os.WriteFile("cases.jsonl", out.Bytes(), 0o644))
}

func (c *testCase) record(opa string) {
	// An old query can be asked of new modules only if they come as a bundle that says so: it is asked of none.
	args := []string{"eval", "--format", "json", "--data", "set"}
	if c.V0 {
		args = []string{"eval", "--format", "json", "--v0-compatible", "--data", "set/data.json"}
	}
	if c.Package != "" {
		args = append(args, "--package", c.Package)
	}
	for _, path := range c.Imports {
		args = append(args, "--import", path)
	}
	if c.Input != nil {
		args = append(args, "--stdin-input")
	}
	if c.Strict {
		args = append(args, "--strict-builtin-errors")
	}
	command := exec.Command(opa, append(args, "--", c.Query)...)
	command.Stdin = bytes.NewReader(c.Input)
	var stdout, stderr, compact bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	// It ends with 2 for errors, which are answers, too.
	_ = command.Run()
	check(json.Compact(&compact, sorted(stdout.Bytes())))
	c.Answer, c.Printed = compact.Bytes(), nil
	if printed := strings.TrimSpace(stderr.String()); printed != "" {
		c.Printed = strings.Split(printed, "\n")
	}
}

// OPA finds unsafe variables of one expression in no order.
func sorted(answer []byte) []byte {
	var failed struct {
		Errors []json.RawMessage `json:"errors"`
	}
	check(json.Unmarshal(answer, &failed))
	if failed.Errors == nil {
		return answer
	}
	key := func(text json.RawMessage) string {
		var e struct {
			Message  string
			Location struct{ Row, Col int }
		}
		check(json.Unmarshal(text, &e))
		return fmt.Sprintf("%05d %05d %s", e.Location.Row, e.Location.Col, e.Message)
	}
	slices.SortStableFunc(failed.Errors, func(a, b json.RawMessage) int { return strings.Compare(key(a), key(b)) })
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	check(encoder.Encode(failed))
	return out.Bytes()
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
