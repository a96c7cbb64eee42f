// Records what OPA looks up in the index of `data.t.p`, for `tests/rule_index/*.jsonl`: reads cases, a line each, whose lookups have
// inputs, and writes them with what is found. Base documents are those of the test.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"

	"github.com/open-policy-agent/opa/v1/ast"
)

const base = `{"base": {"x": "a", "y": [1, "b"], "coll": ["a", "b"], "obj": {"a": 1, "b": true, "ab": 2}}}`

type lookup struct {
	Input any `json:"input"`
	// Rules by number, and their else.
	Want [][2]int `json:"want"`
	Exit bool     `json:"exit,omitempty"`
}

type testCase struct {
	Text    string    `json:"text"`
	Lookups []*lookup `json:"lookups"`
}

// documents are what references are resolved in.
type documents map[string]ast.Value

func (d documents) Resolve(ref ast.Ref) (ast.Value, error) {
	root, ok := ref[0].Value.(ast.Var)
	if !ok || d[string(root)] == nil {
		return nil, nil
	}
	value, err := d[string(root)].Find(ref[1:])
	if err != nil {
		return nil, nil
	}
	return value, nil
}

func main() {
	in := json.NewDecoder(bufio.NewReader(os.Stdin))
	// Numbers stay as they are written.
	in.UseNumber()
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	for in.More() {
		var c testCase
		check(in.Decode(&c))
		if err := c.record(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			continue
		}
		check(out.Encode(c))
	}
}

func (c *testCase) record() error {
	module, err := ast.ParseModuleWithOpts("test.rego", c.Text, ast.ParserOptions{RegoVersion: ast.RegoV1})
	if err != nil {
		return err
	}
	compiler := ast.NewCompiler()
	compiler.Compile(map[string]*ast.Module{"test.rego": module})
	if compiler.Failed() {
		return compiler.Errors
	}
	index := compiler.RuleIndex(ast.MustParseRef("data.t.p"))
	if index == nil {
		return fmt.Errorf("no index: %s", c.Text)
	}
	rules := compiler.GetRulesExact(ast.MustParseRef("data.t.p"))
	data := ast.MustParseTerm(base).Value
	for _, l := range c.Lookups {
		input, err := ast.InterfaceToValue(l.Input)
		check(err)
		found, err := index.Lookup(documents{"input": input, "data": data})
		check(err)
		l.Want, l.Exit = places(rules, found), found.EarlyExit
	}
	return nil
}

// places are the numbers of what was found: among all rules, and among the branches of a rule.
func places(rules []*ast.Rule, found *ast.IndexResult) [][2]int {
	all := [][2]int{}
	// By the branch that was found first, which need not be the rule.
	others := slices.Concat(slices.Collect(maps.Values(found.Else))...)
	rules = slices.DeleteFunc(slices.Clone(rules), func(rule *ast.Rule) bool { return rule.Default })
	for number, rule := range rules {
		branch := 0
		for at := rule; at != nil; at = at.Else {
			if slices.Contains(found.Rules, at) || slices.Contains(others, at) {
				all = append(all, [2]int{number, branch})
			}
			branch++
		}
	}
	return all
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
