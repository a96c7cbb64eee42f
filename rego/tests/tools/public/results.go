package main

import (
	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/rego"
	"github.com/open-policy-agent/opa/v1/types"
)

// Members of a result, and what they are where a cause does not say; the names under which a cause may say it.
var members = []struct {
	name    string
	missing *ast.Term
	said    []string
}{
	{"startline", ast.IntNumberTerm(0), []string{"StartLine", "startline"}},
	{"endline", ast.IntNumberTerm(0), []string{"EndLine", "endline"}},
	{"filepath", ast.StringTerm(""), []string{"Path", "filepath"}},
	{"sourceprefix", ast.StringTerm(""), []string{"sourceprefix"}},
	{"explicit", ast.BooleanTerm(false), []string{"explicit"}},
	{"managed", ast.BooleanTerm(true), []string{"managed"}},
	{"fskey", ast.StringTerm(""), []string{"fskey"}},
	{"resource", ast.StringTerm(""), []string{"resource"}},
}

// registerResults declares result.new and isManaged, which Trivy itself defines (pkg/iac/rego/custom.go).
func registerResults() {
	rego.RegisterBuiltin2(
		&rego.Function{Name: "result.new", Decl: types.NewFunction(types.Args(types.S, types.A), types.A)},
		func(_ rego.BuiltinContext, message, cause *ast.Term) (*ast.Term, error) {
			return result(message, cause), nil
		},
	)
	rego.RegisterBuiltin1(
		&rego.Function{Name: "isManaged", Decl: types.NewFunction(types.Args(types.A), types.B)},
		func(_ rego.BuiltinContext, cause *ast.Term) (*ast.Term, error) {
			return result(nil, cause).Get(ast.StringTerm("managed")), nil
		},
	)
}

func result(message, cause *ast.Term) *ast.Term {
	if metadata := cause.Get(ast.StringTerm("__defsec_metadata")); metadata != nil {
		cause = metadata
	}
	made := ast.NewObject()
	for _, member := range members {
		value := member.missing
		for i := len(member.said) - 1; i >= 0; i-- {
			if said := cause.Get(ast.StringTerm(member.said[i])); said != nil {
				value = said
			}
		}
		made.Insert(ast.StringTerm(member.name), value)
	}
	made.Insert(ast.StringTerm("parent"), ast.NullTerm())
	if parent := cause.Get(ast.StringTerm("parent")); parent != nil {
		made.Insert(ast.StringTerm("parent"), result(nil, parent))
	}
	if message != nil {
		made.Insert(ast.StringTerm("msg"), message)
	}
	return ast.NewTerm(made)
}
