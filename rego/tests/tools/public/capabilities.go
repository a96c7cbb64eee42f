package main

import "github.com/open-policy-agent/opa/v1/ast"

// capabilities says what OPA can do in Regal's form (pkg/config/config.go): the types of functions as text.
func capabilities() map[string]any {
	opa, functions := ast.CapabilitiesForThisVersion(), map[string]any{}
	for _, function := range opa.Builtins {
		args := []string{}
		for _, arg := range function.Decl.FuncArgs().Args {
			args = append(args, arg.String())
		}
		result := ""
		if function.Decl.Result() != nil {
			result = function.Decl.Result().String()
		}
		functions[function.Name] = map[string]any{"decl": map[string]any{"args": args, "result": result}}
	}
	return map[string]any{"builtins": functions, "future_keywords": opa.FutureKeywords, "features": opa.Features}
}
