# input: {"i": 0, "j": 1}
# data.s: {"p":{"k0":{"l1":{"a":1}},"k1":{"l0":{"b":true}}},"q":{"k0":{"a":{"l1":1}},"k1":{"b":{"l0":true}}},"r":{"a":{"k0":{"l1":1}},"b":{"k1":{"l0":true}}}}

# Two variables may be so many things together that the second stays open; those behind it are followed to what they are all the same:
# no rule here refers to itself.
package s

p.k0.l1.a := 1

p.k1.l0.b if {
	k := ["k0", "k1", "k2", "k3", "k4", "k5", "k6", "k7", "k8"][input.i]
	l := ["l0", "l1", "l2", "l3", "l4", "l5", "l6", "l7"][input.j]
	m := "a"
	p[k][l][m] == 1
}

q.k0.a.l1 := 1

q.k1.b.l0 if {
	k := ["k0", "k1", "k2", "k3", "k4", "k5", "k6", "k7", "k8"][input.i]
	m := "a"
	l := ["l0", "l1", "l2", "l3", "l4", "l5", "l6", "l7"][input.j]
	q[k][m][l] == 1
}

r.a.k0.l1 := 1

r.b.k1.l0 if {
	k := ["k0", "k1", "k2", "k3", "k4", "k5", "k6", "k7", "k8"][input.i]
	l := ["l0", "l1", "l2", "l3", "l4", "l5", "l6", "l7"][input.j]
	m := "a"
	r[m][k][l] == 1
}
