# input: {"y": 2}
# data.s: {"p":{"a":1,"b":true},"q":{"a":1,"b":{"c":true},"c":2}}

# A reference is followed only to what its variables are known to be, whatever is bound behind it: no rule here refers to itself.
package s

p.a := 1

p.b if {
	x := "a"
	p[x] == 1
	y := 2
	y == input.y
}

q.a := 1

q.b.c if {
	x := "a"
	q[x] == 1
	y := "c"
	q[y] == 2
	z := "d"
	z != input.y
}

q.c := 2
