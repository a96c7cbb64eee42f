# input: {}
# error: "eval_conflict_error: rule data.s.f produced conflicting values:\n  1 at policy.rego:8\n  2 at policy.rego:10"
# place: 10:1
package s

# A function without operands is evaluated like a rule, and its conflicts are told like those of one.

f() := 1

f() := 2
