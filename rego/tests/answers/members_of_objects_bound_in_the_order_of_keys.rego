# input: {}
# data.s: {"p":[[2,{"a":1,"b":[1]}]],"r":[2]}
package s

import rego.v1

p contains [y, {"b": {x}, "a": x}] if {
	x := 1
	y := 2
}

r := [w | p[[w, {"b": {1}, "a": 1}]]]
