# input: none
# data: {"base": {"list": [{"k": "x", "v": 1}, {"k": "x", "v": 1.0}, {"k": "y", "v": 2.0}, {"k": "y", "v": 2}], "members": {"a": {"k": 1, "v": 2}, "b": {"k": 1.0, "v": 2.0}, "c": {"k": 1, "v": 2}}}}
# data.s: {"alone":{"1":1.0},"inside":[{"k":[1.0]},{"k":[1.0]}],"keys":[0,1,"a"],"looked_up":[{"1":[1.0]},{"2.0":[2]}],"numbers":[0,-0,1,1.0,"a",1e0],"of_numbers":{"0":[-0],"1":[1e0],"a":["a"]},"one_key":{"k":{"x":[1e0]}},"other_first":{"1.0":[1]},"rule":{"x":[1],"y":[2.0]},"rule_of_numbers":{"0":[0],"1":[1],"a":["a"]},"through_data":{"x":[1.0],"y":[2]},"through_members":{"1":{"v":2}},"with_input":{"0":[-0],"1":[1e0],"a":["a"]}}
package s

import rego.v1

# A key that comes again with an equal value: comprehensions keep the value that came last, as it is written, rules the first.

numbers := [0, -0, 1, 1.0, "a", 1e0]

of_numbers := {k: v | some k in numbers; v := [k]}

alone := {k: k | some k in [1, 1.0]}

other_first := {k: {k} | some k in [1.0, 1]}

one_key := {"k": v | some x in [1, 1.0, 1e0]; v := {"x": [x]}}

through_data := {k: [v] | some member in data.base.list; v := member.v; k := member.k}

through_members := {c.k: {"v": c.v} | some _, c in data.base.members}

with_input := {k: v | some k in numbers; v := seen with input as k}

seen := [input]

looked_up := [y | some k in ["x", "y"]; y := {v: [v] | some m in data.base.list; m.k == k; v := m.v}]

inside := [{k: [v] | some v in [x, 1.0]; k := "k"} | some x in [1, 1e0]]

rule[k] := [v] if {
	some member in data.base.list
	k := member.k
	v := member.v
}

rule_of_numbers[k] := [k] if some k in numbers

keys := [k | some k, _ in of_numbers]
