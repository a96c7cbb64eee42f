# query: data.p.all
# explain: full debug
# profile: true
package p

s contains x if some x in [1, 2, 3]

s contains x if x := 2

o[k] := v if {
	some k, v in {"a": 1, "b": 2}
}

o.c := 3

m[k] contains v if {
	some k in ["x", "y"]
	some v in [1, 2]
}

d.e[k].f := k if some k in ["u", "v"]

all := [a, b, c, d1, f, g] if {
	a := s[2]
	b := o.b
	c := o
	d1 := m.x
	f := [x | x := d.e[_].f]
	g := {k | m[k][1]}
	s[3]
	o["c"] == 3
	not s[7]
	m.y[2]
}
