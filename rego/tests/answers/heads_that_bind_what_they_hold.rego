# input: {"g":1}
# strict
# data.s: {"answer":{"arrays":true,"nested":true,"no_member":true,"objects":true},"arrays":[],"nested":[],"objects":[]}

package s

objects contains {"a": x, "b": "c"} if {
	input.on
	some x in [0, 1, 2]
	1 / x > 0
}

arrays contains [x, [y]] if {
	input.on
	some x in [0, 1, 2]
	y := 4 / x
}

nested contains {"a": [{"k": x}], "b": y} if {
	input.on
	some x in [0, 1, 2]
	y := 4 / x
}

answer.objects if objects[{"a": 1, "b": "c"}] with input.on as true

answer.others if objects[{"a": 1, "b": "d"}] with input.on as true

answer.arrays if arrays[[2, [2]]] with input.on as true

answer.nested if nested[{"a": [{"k": 2}], "b": 2}] with input.on as true

answer.no_member if not objects[{"a": 3, "b": "c"}] with input.on as true
