# input: {"a": 1, "b": 5}
# error: "eval_conflict_error: function data.s.two produced conflicting values for the same inputs:\n  1 at policy.rego:6\n  2 at policy.rego:8"

package s

two(x) := 1 if x

two(x) := 2 if x

f(_) := 1 if input.a == 1

f(_) := 1 if two(true)

f(_) := 1 if {
	input.a == 7
} else := input.a if {
	false
	input.b == 5
}

x := f(1)
