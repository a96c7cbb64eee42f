# input: {"key":"b"}
# error: "eval_conflict_error: rule data.s.q produced conflicting values:\n  1 at policy.rego:11\n  2 at policy.rego:13"
# place: 13:1

package s

# A rule has two values; the same as of a function.

p := [q, f(input.key)]

q := 1 if input.key

q := 2 if input.key == "b"

f(x) := 1 if x != 1

f(x) := 2 if x == "b"
