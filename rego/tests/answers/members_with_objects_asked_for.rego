# input: {}
# data.s: {"alone":[{"k":2}],"behind":[[1,{"k":2}]],"c":true,"front":[[{"k":1},"k"]],"known":[["k",{"k":1}]]}
package s

import rego.v1

a if alone[{"k": 2}]

b if behind[[1, {"k": 2}]]

c if known[["k", {"k": 1}]]

d if front[[{"k": 1}, "k"]]

alone contains {y: 2} if y := "k"

behind contains [x, {y: 2}] if {
	x := 1
	y := "k"
}

known contains [x, {x: 1}] if x := "k"

front contains [{x: 1}, x] if x := "k"
