// Command tree says how OPA reads modules: for each line of its input, a module as JSON, one line with the tree (places
// included), the module as OPA prints it, or the errors.
package main

import (
	"bufio"
	"encoding/json"
	"os"

	"github.com/open-policy-agent/opa/v1/ast"
	astJSON "github.com/open-policy-agent/opa/v1/ast/json"
)

type module struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	Text    string `json:"text"`
}

type answer struct {
	Tree   *ast.Module `json:"tree,omitempty"`
	Text   string      `json:"text,omitempty"`
	Errors []finding   `json:"errors,omitempty"`
}

type finding struct {
	Message string   `json:"message"`
	Row     int      `json:"row"`
	Col     int      `json:"col"`
	Details []string `json:"details,omitempty"`
}

func main() {
	all := astJSON.NodeToggle{Term: true, Package: true, Comment: true, Import: true, Rule: true, Head: true, Expr: true,
		SomeDecl: true, Every: true, With: true, Annotations: true, AnnotationsRef: true}
	astJSON.SetOptions(astJSON.Options{MarshalOptions: astJSON.MarshalOptions{IncludeLocation: all}})
	in := json.NewDecoder(bufio.NewReader(os.Stdin))
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for in.More() {
		var m module
		if err := in.Decode(&m); err != nil {
			panic(err)
		}
		line, err := json.Marshal(parse(m))
		if err != nil {
			line, _ = json.Marshal(answer{Errors: []finding{{Message: "no JSON: " + err.Error()}}})
		}
		out.Write(append(line, '\n'))
	}
}

func parse(m module) answer {
	versions := map[string]ast.RegoVersion{"v0": ast.RegoV0, "v0v1": ast.RegoV0CompatV1, "v1": ast.RegoV1, "v2": ast.RegoV2}
	options := ast.ParserOptions{ProcessAnnotation: true, RegoVersion: versions[m.Version]}
	parsed, err := ast.ParseModuleWithOpts(m.Name, m.Text, options)
	if err == nil {
		return answer{Tree: parsed, Text: parsed.String()}
	}
	var found []finding
	switch errs := err.(type) {
	case ast.Errors:
		for _, e := range errs {
			found = append(found, of(e))
		}
	case *ast.Error:
		found = append(found, of(errs))
	default:
		found = append(found, finding{Message: err.Error()})
	}
	return answer{Errors: found}
}

func of(e *ast.Error) finding {
	f := finding{Message: e.Message}
	if e.Location != nil {
		f.Row, f.Col = e.Location.Row, e.Location.Col
	}
	if e.Details != nil {
		f.Details = e.Details.Lines()
	}
	return f
}
