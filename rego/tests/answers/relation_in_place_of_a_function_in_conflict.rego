# input: none
# error: "eval_conflict_error: function data.s.g produced conflicting values for the same inputs:\n  [[], [1]] at policy.rego:9\n  [[0], 1] at policy.rego:9"
# place: 9:1

package s

f(x) := x

g(x) := f(x)

a := x if x := g([1]) with f as walk
