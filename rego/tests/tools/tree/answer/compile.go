package main

import (
	"errors"
	"fmt"
	"sort"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
)

// Compiles a set, without the blocks that have errors, until nothing is wrong any more.
func compile(q question) (*ast.Compiler, []round) {
	kept := make([][]int, len(q.Modules))
	for i, m := range q.Modules {
		kept[i] = make([]int, len(m.Blocks))
		for j := range m.Blocks {
			kept[i][j] = j
		}
	}
	var rounds []round
	for {
		compiler, found := attempt(q, kept)
		rounds = append(rounds, round{Kept: kept, Errors: lines(found)})
		if len(found) == 0 {
			return compiler, rounds
		}
		kept = without(q, kept, found)
	}
}

func attempt(q question, kept [][]int) (*ast.Compiler, ast.Errors) {
	options := ast.ParserOptions{RegoVersion: ast.RegoV1, ProcessAnnotation: true}
	if q.V0 {
		options.RegoVersion = ast.RegoV0
	}
	modules := map[string]*ast.Module{}
	var found ast.Errors
	for i, m := range q.Modules {
		parsed, err := ast.ParseModuleWithOpts(m.Name, m.text(kept[i]), options)
		var list ast.Errors
		if errors.As(err, &list) {
			found = append(found, list...)
		} else {
			check(err)
		}
		modules[m.Name] = parsed
	}
	if len(found) > 0 {
		return nil, found
	}
	compiler := ast.NewCompiler().WithDefaultRegoVersion(options.RegoVersion).WithEnablePrintStatements(q.Prints).SetErrorLimit(0)
	compiler.Compile(modules)
	return compiler, compiler.Errors
}

func (m module) text(kept []int) string {
	parts := []string{m.Head}
	for _, block := range kept {
		parts = append(parts, m.Blocks[block])
	}
	return strings.Join(parts, "\n\n") + "\n"
}

// Leaves out the blocks in which errors are; all of them if errors are elsewhere only.
func without(q question, kept [][]int, found ast.Errors) [][]int {
	var fewer [][]int
	var left bool
	for i, m := range q.Modules {
		some := []int{}
		first := strings.Count(m.Head, "\n") + 3
		for _, block := range kept[i] {
			last := first + strings.Count(m.Blocks[block], "\n")
			wrong := false
			for _, e := range found {
				at := e.Location
				wrong = wrong || at != nil && at.File == m.Name && first <= at.Row && at.Row <= last+1
			}
			if !wrong {
				some = append(some, block)
			}
			left = left || wrong
			first = last + 2
		}
		fewer = append(fewer, some)
	}
	if left {
		return fewer
	}
	count := 0
	for i := range fewer {
		count += len(fewer[i])
		fewer[i] = []int{}
	}
	if count == 0 {
		panic(fmt.Sprintf("what must be there is wrong: %v", found))
	}
	return fewer
}

func lines(found ast.Errors) []string {
	out := []string{}
	for _, e := range found {
		place := "-"
		if e.Location != nil {
			place = fmt.Sprintf("%s:%d:%d", e.Location.File, e.Location.Row, e.Location.Col)
		}
		line := fmt.Sprintf("%s: %s: %s", place, e.Code, e.Message)
		if e.Details != nil {
			line += "\n" + strings.Join(e.Details.Lines(), "\n")
		}
		out = append(out, line)
	}
	sort.Strings(out)
	return out
}
