# query: data.e.a; data.e.b; not data.e.c; data.e.d
# explain: full fails debug
# profile: true
package e

a if every x in [1, 2, 3] { x > 0 }

b if every k, v in {"p": 1, "q": 2} {
	is_string(k)
	some y in [1, 2]
	y == v
}

c if every x in [1, 2, 3] { x < 2 }

d if {
	xs := {"u", "v"}
	every x in xs { count(x) == 1 }
	every y in [] { y == 1 }
}
