# input: {"xs":[{"a":"a"},{"a":"b"},{"a":"c"},{"a":"d"},{"a":"e"},{"a":"f"},{"a":"g"},{"a":"h"},{"a":"i"}],"values":{"one":[1],"two":[2],"three":[3],"four":[4,5]}}
# data.s: {"all":[[],[],[],[]],"array":[[["c","one"]],[["c","two"]],[["c","three"]],[["c","four"]]],"by_key":[[1],[2],[3],[],[4]],"found":[[],[],[],[]],"pure":[[["c",{"a":"c"},2,[1]]],[["c",{"a":"c"},2,[2]]],[["c",{"a":"c"},2,[3]]],[["c",{"a":"c"},2,[4,5]]]],"value":{}}
package s

import rego.v1

# What stands behind a comparison is not evaluated where nothing is equal; in front of it may stand what always has a value, or none.

found := ns if ns := all with input.on as true

all := [ns | some name in ["one", "two", "three", "four"]; ns := compared(name)]

compared(name) := [y | some x in input.xs; x.a == "nothing"; y := value[name]]

value[name] := n if {
	input.on
	some n in input.values[name]
}

pure := [ns | some name in ["one", "two", "three", "four"]; ns := purely(name)]

purely(name) := [[a, b, k, v] | some k, x in input.xs; a := x.a; b := x; v := input.values[name]; a == "c"; b.a != "d"]

array := [ns | some name in ["one", "two", "three", "four"]; ns := of_array(name)]

of_array(name) := [a | some x in input.xs; a := [x.a, name]; x.a == "c"]

by_key := [ns | some name in ["one", "two", "three", "none", "four"]; ns := of_key(name)]

of_key(name) := [y | some x in input.xs; y := input.values[name][0]; x.a == "c"]
