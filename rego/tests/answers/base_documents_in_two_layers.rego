# input: {"n": {"zero": 0, "one": 1, "two": 2}}
# data: {"xs": [10, "11", {"a": 12, "b": 13}], "o": {"x": {"y": {"z": 4}}, "1": "one"}, "scalar": 5, "system": {"q": 1}}
# data.s: {"below_item":[12,{"a":7,"b":13}],"beside":["11",3,"11"],"deeper":[{"y":6},{"1":"one","x":{"y":6}}],"deeper_alone":[{"y":6},{"1":"one","x":{"y":6}}],"function_put_over":[{"1":"one","x":{"w":2,"y":{"z":4}}},{"w":2},["1","x"]],"indexed":[1,2],"item_as_text":["put",10],"items":[["k",3]],"member_as_number":["one","put"],"merged":[{"1":"one","x":{"y":{"a":1,"z":4}}},{"y":{"a":1}}],"put_above_again":[{"1":"one","x":{"w":2,"y":{"z":4}}},{"w":2},["1","x"]],"reads":[{"1":"one","x":{"w":2,"y":{"z":4}}},{"w":2},["1","x"]],"scalar_above":[{"x":1},1],"scalar_first":[{"y":6},{"1":"one","x":{"y":6}}],"sets":[[1.0,2],1],"whole":{"k":3}}
package s

import rego.v1

# What `with` puts and what is stored are two documents, and what is read is both: an item of a stored array is found beside what was put
# below that array, and what is stored comes into sight again above something that was replaced as a whole.

beside := z if z := [data.xs[input.n.one], data.xs.k, data.xs["1"]] with data.xs.k as 3

items := z if z := [[k, v] | v := data.xs[k]] with data.xs.k as 3

whole := z if z := data.xs with data.xs.k as 3

item_as_text := z if z := [data.xs["0"], data.xs[input.n.zero]] with data.xs["0"] as "put"

below_item := z if z := [data.xs[input.n.two].a, data.xs["2"]] with data.xs["2"].a as 7

member_as_number := z if z := [data.o[input.n.one], data.o["1"]] with data.o["1"] as "put"

scalar_above := z if z := [data.scalar, data.scalar.x] with data.scalar.x as 1

scalar_first := z if z := deeper with data.o.x as 5

deeper := z if z := [data.o.x, data.o] with data.o.x.y as 6

deeper_alone := deeper

put_above_again := z if z := reads with data.o.x.y as 1

reads := z if z := [data.o, data.o.x, [k | data.o[k]]] with data.o.x as {"w": 2}

merged := z if z := [data.o, data.o.x] with data.o.x as {"y": {"a": 1}}

function_put := z if z := [data.o.x, [k | data.o[k]; k != "x"]] with data.o.x as f

function_put_over := z if z := reads with data.o.x as f

f(_) := 1

sets := z if z := [[x | data.set[x]], data.set[input.n.one]] with data.set as {1.0, 2}

indexed := z if z := [x | some x in [1, 2]; by_layer(x)] with data.xs.k as 3

by_layer(x) if {
	x == 1
	data.xs.k == 3
}

by_layer(x) if {
	x == 2
	data.o.x.y.z == 4
}
