# query: data.n
# input: {"x": 1}
# explain: full fails
package n

a if not input.y

b if not input.x

c if {
	x := input.x
	not x == 2
	not d[x]
	not f(x)
}

d contains 2

f(x) if x == 5
