# query: data.k.p
# explain: full
package k

index[name][kind] := n if {
	some name, kinds in {"a": {"x": 1, "y": 2}, "b": {"x": 3}}
	some kind, n in kinds
}

p if {
	name := "a"
	index[name].y == 2
	index[name][kind] == 1
	index.b.x == 3
	not index.c
	kind != "z"
}
