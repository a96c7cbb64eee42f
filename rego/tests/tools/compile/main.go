// Records what OPA's compiler makes of the sets in `tests/compile/cases`: `go run . FILE...` rewrites each file with OPA's answers.
package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
	"sigs.k8s.io/yaml"
)

type testCase struct {
	Note   string `json:"note"`
	V0     bool   `json:"v0,omitempty"`
	Strict bool   `json:"strict,omitempty"`
	Prints bool   `json:"prints,omitempty"`
	Tests  bool   `json:"tests,omitempty"`
	// Where data is, as `a/b`.
	Data    []string `json:"data,omitempty"`
	Modules []string `json:"modules"`
	Query   string   `json:"query,omitempty"`
	// What OPA made of it.
	Rules    []string `json:"rules,omitempty"`
	Compiled string   `json:"compiled,omitempty"`
	Errors   []string `json:"errors,omitempty"`
}

func main() {
	for _, file := range os.Args[1:] {
		text, err := os.ReadFile(file)
		check(err)
		var cases []*testCase
		check(yaml.UnmarshalStrict(text, &cases))
		for _, c := range cases {
			c.Rules, c.Compiled, c.Errors = nil, "", nil
			if err := c.record(); err != nil {
				c.Errors = lines(err)
			}
		}
		text, err = yaml.Marshal(cases)
		check(err)
		check(os.WriteFile(file, text, 0o644))
	}
}

func (c *testCase) record() error {
	options := ast.ParserOptions{RegoVersion: ast.RegoV1, ProcessAnnotation: true}
	if c.V0 {
		options.RegoVersion = ast.RegoV0
	}
	modules := map[string]*ast.Module{}
	for i, text := range c.Modules {
		name := fmt.Sprintf("%d.rego", i)
		module, err := ast.ParseModuleWithOpts(name, text, options)
		if err != nil {
			return err
		}
		modules[name] = module
	}
	compiler := ast.NewCompiler().WithDefaultRegoVersion(options.RegoVersion).WithStrict(c.Strict).
		WithEnablePrintStatements(c.Prints).WithRewriteTestRules(c.Tests).SetErrorLimit(0).
		WithPathConflictsCheck(func(path []string) (bool, error) { return slices.Contains(c.Data, strings.Join(path, "/")), nil })
	compiler.Compile(modules)
	if compiler.Failed() {
		return compiler.Errors
	}
	for i := range c.Modules {
		for _, rule := range compiler.Modules[fmt.Sprintf("%d.rego", i)].Rules {
			c.Rules = append(c.Rules, text(rule))
		}
	}
	if c.Query == "" {
		return nil
	}
	query, err := ast.ParseBodyWithOpts(c.Query, options)
	if err != nil {
		return err
	}
	query, err = compiler.QueryCompiler().WithEnablePrintStatements(c.Prints).Compile(query)
	c.Compiled = body(query)
	return err
}

func text(rule *ast.Rule) string {
	out := rule.Ref().String()
	if rule.Default {
		out = "default " + out
	}
	if len(rule.Head.Args) > 0 {
		out += rule.Head.Args.String()
	}
	if rule.Head.Key != nil {
		out += " contains " + rule.Head.Key.String()
	}
	if rule.Head.Value != nil {
		out += " = " + rule.Head.Value.String()
	}
	out += " { " + body(rule.Body) + " }"
	if rule.Else != nil {
		out += " else " + text(rule.Else)
	}
	return out
}

// A body with the place of each expression, and a star before what the compiler made.
func body(exprs ast.Body) string {
	var parts []string
	for _, expr := range exprs {
		star, place := "", "-"
		if expr.Generated {
			star = "*"
		}
		if expr.Location != nil {
			place = fmt.Sprintf("%d:%d", expr.Location.Row, expr.Location.Col)
		}
		parts = append(parts, star+place+" "+expr.String())
	}
	return strings.Join(parts, "; ")
}

func lines(err error) []string {
	var list ast.Errors
	if !errors.As(err, &list) {
		return []string{err.Error()}
	}
	list.Sort()
	var out []string
	for _, e := range list {
		place := "-" // OPA has none for some errors.
		if e.Location != nil {
			place = fmt.Sprintf("%s:%d:%d", e.Location.File, e.Location.Row, e.Location.Col)
		}
		line := fmt.Sprintf("%s: %s: %s", place, e.Code, e.Message)
		if e.Details != nil {
			line = strings.Join(append([]string{line}, e.Details.Lines()...), "\n")
		}
		out = append(out, line)
	}
	return out
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
