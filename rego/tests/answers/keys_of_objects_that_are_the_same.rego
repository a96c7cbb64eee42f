# input: {"k": "k"}
# data.s: {"called":{"k":"a variable"},"collected":{"[\"k\"]":"a variable"},"deep":[{"in":{"k":"a variable"}}],"headed":{"k":"input"},"inside":{"[\"k\"]":"a variable"},"many":{"k":1},"name":"k","of_set":1,"set":{"[\"k\"]":"a reference"},"two":{"k":"input"},"written":{"k":"a variable"}}
package s

import rego.v1

name := "k"

key(x) := x

written := x if {
	k = "k"
	x := {k: "a variable", input.k: "a reference"}
}

called := x if {
	k = "k"
	x := {k: "a variable", key("k"): "a call"}
}

collected := x if {
	k = ["k"]
	x := {k: "a variable", [y | y := "k"]: "a comprehension"}
}

two := x if x := {input.k: "input", name: "a rule"}

inside := x if {
	k = "k"
	x := {[k]: "a variable", [input.k]: "a reference", ["k"]: "a constant"}
}

set := x if {
	k = {"k"}
	x := {k: "a variable", {input.k}: "a reference", {"k"}: "a constant"}
}

of_set := count(x) if {
	k = "k"
	x := {k, input.k, key("k"), "k"}
}

deep := x if {
	k = "k"
	x := [{"in": {k: "a variable", input.k: "a reference"}}]
}

headed := {input.k: "input", name: "a rule", key("k"): "a call"}

many := x if {
	x := {input.k: 1, data.s.name: 2, key(input.k): 3, concat("", ["k"]): 4, lower("K"): 5, trim("k", ""): 6}
}
