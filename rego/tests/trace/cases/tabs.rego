# query: data.t.p
# explain: full
package t

p if {
	x := {
		"a": [1,
			2],
	}
	x.a[_] == 2
	y := [z |
		z := x.a[_]
		z > 1
	]
	count(y) == 1
}
