# input: none
# error: "eval_conflict_error: function data.s.f produced conflicting values for the same inputs:\n  1 at policy.rego:6\n  2 at policy.rego:8"

package s

f(a) := 1 if a > 0

f(a) := 2 if {
	a > 1
} else := 3

f(a) := 1

x := f(2)
