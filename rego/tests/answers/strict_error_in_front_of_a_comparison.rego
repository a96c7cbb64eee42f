# input: {"xs":[{"a":"a"},{"a":"b"},{"a":"c"},{"a":"d"},{"a":"e"},{"a":"f"},{"a":"g"},{"a":"h"},{"a":"i"}],"values":{"one":[1],"two":[2],"three":[3],"four":[4,5]}}
# error: "eval_builtin_error: div: divide by zero"
# place: 13:59
# strict
package s

import rego.v1

# What stands in front of a comparison is evaluated for each, also where nothing is equal.

found := [ns | some name in ["one", "two", "three", "four"]; ns := compared(name)]

compared(name) := [y | some x in input.xs; y := [n | n := 1 / (4 - input.values[name][0])]; x.a == "nothing"]
