# query: data.n.p
# input: {"xs": [1, 2, 3]}
# explain: notes full fails
# raw: true
package n

p if {
	trace("begin")
	some x in input.xs
	q(x)
	trace("end")
}

q(x) if {
	trace(sprintf("asked \"%d\"\nagain", [x]))
	r[x]
}

r contains x if {
	x := 2
	trace("r")
}
