# input: {"g":"g"}
# error: "eval_conflict_error: function data.s.f produced conflicting values for the same inputs:\n  \"g\" at policy.rego:7\n  [\"g\"] at policy.rego:9\n  1 at policy.rego:11\n  \"a text of which no more is shown than fits into one line of a message, however ... at policy.rego:13\n  {\"a\": [1, {2}]} at policy.rego:15\n  2 at policy.rego:17\n  3 at policy.rego:19\n  1.0 at policy.rego:21\n  4 at policy.rego:23\n  5 at policy.rego:25\n  ..."
# place: 9:1

package s

f(x) := x if x

f(x) := [y | y := x] if x

f(_) := 1

f(_) := "a text of which no more is shown than fits into one line of a message, however long it is"

f(_) := {"a": [1, {2}]}

f(_) := 2

f(_) := 3

f(_) := 1.0

f(_) := 4

f(_) := 5

f(_) := 6

f(_) := 7

x := f(input.g)
