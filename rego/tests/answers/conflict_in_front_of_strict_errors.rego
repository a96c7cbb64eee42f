# input: {"a":1,"x":"q"}
# strict
# error: "eval_conflict_error: rule data.s.p produced conflicting values:\n  1 at policy.rego:10\n  2 at policy.rego:12"
# place: 12:1

package s

# What the list of values comes by behind the conflict does not fail.

p := 1 if input.a

p := 2 if input.a

p := 3 if to_number(input.x)
