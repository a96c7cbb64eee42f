# query: data.u.p
# input: {}
# explain: full fails notes debug
package u

p if {
	input.a.b
	input.c
}

p if not q

q if data.nothing.here == 1

q if input != 1
