# query: data.x.p
# input: {"a": [1, 2, 3, 4]}
# explain: full
package x

p if {
	x := data.x.r[_]
	data.x.v == x
	t == 2
}

r := [1, 2] if input.a[_] > 1

v := y if { y := input.a[i]; i == 1 }

t := 2 if input.a[_]
