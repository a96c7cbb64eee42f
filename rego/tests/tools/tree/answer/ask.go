package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/storage"
	"github.com/open-policy-agent/opa/v1/storage/inmem"
	"github.com/open-policy-agent/opa/v1/topdown"
	"github.com/open-policy-agent/opa/v1/topdown/print"
	"github.com/open-policy-agent/opa/v1/util"
)

// How long one answer may take: what takes longer is not compared. Nearly all of those are ranges up to numbers that are as large as any.
const patience = 250 * time.Millisecond

// Asks for each path with each input.
func ask(q question, compiler *ast.Compiler) [][]answer {
	var data map[string]any
	check(util.UnmarshalJSON([]byte(q.Data), &data))
	store := inmem.NewFromObject(data)
	var queries []ast.Body
	for _, path := range q.Paths {
		compiled, err := compiler.QueryCompiler().Compile(ast.MustParseBody(path + " = x"))
		check(err)
		queries = append(queries, compiled)
	}
	var all [][]answer
	for _, text := range q.Inputs {
		var input any
		check(util.UnmarshalJSON([]byte(text), &input))
		value, err := ast.InterfaceToValue(input)
		check(err)
		var answers []answer
		for _, query := range queries {
			answers = append(answers, q.one(compiler, store, ast.NewTerm(value), query))
		}
		all = append(all, answers)
	}
	return all
}

func (q question) one(compiler *ast.Compiler, store storage.Store, input *ast.Term, query ast.Body) (found answer) {
	ctx := context.Background()
	txn := storage.NewTransactionOrDie(ctx, store)
	defer store.Abort(ctx, txn)
	cancel := topdown.NewCancel()
	timer := time.AfterFunc(patience, cancel.Cancel)
	defer timer.Stop()
	asked := topdown.NewQuery(query).WithCompiler(compiler).WithStore(store).WithTransaction(txn).WithInput(input).
		WithStrictBuiltinErrors(q.Strict).WithIndexing(!q.Plain).WithCancel(cancel).
		WithTime(time.Unix(0, 0)).WithPrintHook(&hook{&found.Prints})
	err := asked.Iter(ctx, func(solution topdown.QueryResult) error {
		found.Value = text(solution[ast.Var("x")].Value)
		return nil
	})
	if err != nil {
		found.Value, found.Error = "", message(err)
	}
	// OPA says what a strict builtin failed with before, even where it was stopped (v1/topdown/query.go, Iter).
	if cancel.Cancelled() {
		found.Error = topdown.CancelErr
	}
	return found
}

func text(value ast.Value) string {
	plain, err := ast.JSON(value)
	check(err)
	out, err := json.Marshal(plain)
	check(err)
	return string(out)
}

func message(err error) string {
	var e *topdown.Error
	if !errors.As(err, &e) {
		return "- " + err.Error()
	}
	place := "-"
	if e.Location != nil {
		place = fmt.Sprintf("%s:%d:%d", e.Location.File, e.Location.Row, e.Location.Col)
	}
	return fmt.Sprintf("%s: %s: %s", place, e.Code, e.Message)
}

type hook struct{ lines *[]string }

func (h *hook) Print(at print.Context, text string) error {
	*h.lines = append(*h.lines, fmt.Sprintf("%s:%d: %s", at.Location.File, at.Location.Row, text))
	return nil
}
