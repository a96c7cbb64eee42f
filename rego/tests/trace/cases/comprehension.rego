# query: data.c
# input: {"xs": [{"id": "a", "v": 1}, {"id": "b", "v": 2}, {"id": "a", "v": 3}]}
# explain: full
# profile: true
package c

groups[id] := vs if {
	some x in input.xs
	id := x.id
	vs := [v | some y in input.xs; y.id == id; v := y.v]
}

index := {id: vs | id := input.xs[_].id; vs := {v | input.xs[i].id == id; v := input.xs[i].v}}

nested := [[y | y := x.v + 1] | x := input.xs[_]; x.v > 1]

empty := {x | x := input.none[_]}

lookup := [ks | v := input.xs[_].id; ks := [j | v == input.xs[j].id]]

cached[i] := ks if {
	v = input.xs[i].id
	ks = [j | v = input.xs[j].id]
}
