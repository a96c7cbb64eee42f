# query: data.x.p
# input: {"a": [1, 2, 3, 4]}
# explain: full
package x

p if {
	some i in input.a
	q(i)
}

p if {
	input.a[_] == 3
}

q(i) if { input.a[j] == i; j > 0 }

q(i) if { i == input.a[_] }
