# input: {"values":{"one":[1],"two":[2],"three":[3],"four":[4,5]}}
# data: {"xs":[{"a":"a"},{"a":"b"},{"a":"c"},{"a":"d"},{"a":"e"},{"a":"f"},{"a":"g"},{"a":"h"},{"a":"i"}]}
# error: "eval_conflict_error: rule data.s.value produced conflicting values:\n  4 at policy.rego:15\n  5 at policy.rego:15"
# place: 15:1
package s

import rego.v1

# What stands in front of a comparison is evaluated for each, also where nothing is equal, and whatever names it.

found := [ns | some name in ["one", "two", "three", "four"]; ns := compared with input.name as name]

compared := [y | some x in data.xs; y := value; x.a == "nothing"]

value := n if some n in input.values[input.name]
