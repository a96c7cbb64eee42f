# query: data.s.found
# explain: full
package s

things := {{"id": 1, "t": "a"}, {"id": 2, "t": "b"}}

found contains thing.id if {
	some thing in things
	thing.t in {"b", "c"}
	{"id": n, "t": "b"} = thing
	n == 2
}
