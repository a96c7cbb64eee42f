# input: {"key":"b"}
# error: "eval_conflict_error: object keys must be unique"
# place: 9:16

package s

# A function has two answers. What follows its call is evaluated with the first one, before the second one is found, and fails.

p := [f("b"), {k: v | some k in [input.key]; some v in [1, 2]}]

f(x) := 1 if x != 1

f("b") := 2
