// Command public is OPA with the functions that two public sets of policies bring themselves: those of trivy-checks and of
// Regal. `opa check`, `opa test` and the like work as in OPA. With ANSWERS=FILE each call of a function that is not built
// a second time for the tests of this repository (a parser of shell scripts, a scanner of secrets, a formatter) is written
// to that file, a line each. `regal-data` prints what `regal test` adds to the data of Regal's policies.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"sort"
	"sync"

	"github.com/open-policy-agent/opa/cmd"
	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/rego"
	"github.com/open-policy-agent/opa/v1/topdown"

	trivy "github.com/aquasecurity/trivy-checks/pkg/rego"
	regal "github.com/styrainc/regal/pkg/builtins"
)

func main() {
	if len(os.Args) == 2 && os.Args[1] == "regal-data" {
		fmt.Println(string(must(json.Marshal(map[string]any{"internal": map[string]any{"capabilities": capabilities()}}))))
		return
	}
	trivy.RegisterBuiltins()
	registerResults()
	rego.RegisterBuiltin1(regal.RegalLastMeta, regal.RegalLast)
	rego.RegisterBuiltin2(regal.RegalParseModuleMeta, regal.RegalParseModule)
	rego.RegisterBuiltin2(regal.RegalIsFormattedMeta, regal.RegalIsFormatted)
	if to := os.Getenv("ANSWERS"); to != "" {
		for _, name := range []string{
			"cidr.count_addresses", "cidr.is_public", "regal.is_formatted", "sh.parse_commands", "squealer.scan_string",
		} {
			record(name)
		}
	}
	err := cmd.RootCommand.Execute()
	write(os.Getenv("ANSWERS"))
	if err != nil {
		os.Exit(1)
	}
}

var (
	lock    sync.Mutex
	answers = map[string]bool{}
)

// record keeps each call of a function, and what it answers; a call that fails has no answer.
func record(name string) {
	plain, arity := topdown.GetBuiltin(name), ast.BuiltinMap[name].Decl.Arity()
	topdown.RegisterBuiltinFunc(name, func(bctx topdown.BuiltinContext, operands []*ast.Term, iter func(*ast.Term) error) error {
		var answer any
		err := plain(bctx, operands, func(term *ast.Term) error {
			answer = must(ast.JSON(term.Value))
			return iter(term)
		})
		call := []any{name}
		for _, operand := range operands[:arity] {
			call = append(call, must(ast.JSON(operand.Value)))
		}
		line := must(json.Marshal(append(call, answer)))
		lock.Lock()
		answers[string(line)] = true
		lock.Unlock()
		return err
	})
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func write(to string) {
	if to == "" {
		return
	}
	lines := make([]string, 0, len(answers))
	for line := range answers {
		lines = append(lines, line)
	}
	sort.Strings(lines)
	file := must(os.Create(to))
	defer file.Close()
	out := bufio.NewWriter(file)
	defer out.Flush()
	for _, line := range lines {
		fmt.Fprintln(out, line)
	}
}
