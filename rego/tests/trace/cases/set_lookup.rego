# query: data.l.r
# explain: full debug
package l

s := {"a", "b", "c"}

r if {
	some x in ["b", "z"]
	x in s
	some y in s
	s[y]
}
