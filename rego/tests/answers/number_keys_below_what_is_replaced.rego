# input: {"a": {"1": "text", "k": {"2": true}}}
# data: {"base": {"1": "member", "k": ["x", "y"], "o": {"2": "z"}}}
# data.s: {"as_given":[2,2],"b":1,"both":[1,2],"k":1,"o":1,"of_base":[1,1,1],"of_base_replaced":[2,1],"of_functions":[1,2,1,1,2,1],"of_numbers":[1,1,1],"p":2,"q":2}
package s

import rego.v1

# Where a number finds the member that is called so: in base documents, and nowhere else.

p := 1 if input.a[1] == "number"

p := 2 if input.a["1"] == "text"

q := 1 if input.a.k[2] == true

q := 2 if input.a.k["2"] == true

deep := 1 if input[1][2] == "x"

deep := 2 if input["1"]["2"] == "x"

b := 1 if data.base[1] == "member"

b := 2 if data.base[1] == "other"

o := 1 if data.base.o[2] == "z"

o := 2 if data.base.o[2] == "other"

k := 1 if data.base.k[1] == "y"

k := 2 if data.base.k[2] == "y"

f(x) := 1 if x[1] == "a"

f(x) := 2 if x["1"] == "a"

g(x, y) := 1 if {
	x.k[2] == "a"
	y
}

g(x, y) := 2 if {
	x.k["2"] == "a"
	y
}

as_given := [p, q]

of_numbers := [x, y, z] if {
	x := p with input as {"a": {1: "number"}}
	y := q with input.a as {"k": {2: true}}
	z := deep with input as {1: {2: "x"}}
}

both := [x, y] if {
	x := p with input as {"a": {1: "number", "1": "other"}}
	y := p with input as {"a": {1: "other", "1": "text"}}
}

of_base := [b, o, k]

of_base_replaced := [x, y] if {
	x := b with data.base as {1: "other"}
	y := b with data.base as {1: "member"}
}

of_functions := [f({1: "a"}), f({"1": "a"}), f(["", "a"]), g({"k": {2: "a"}}, 1), g({"k": {"2": "a"}}, 1), g({"k": ["", "", "a"]}, 1)]
