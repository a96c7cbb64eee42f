# query: data.f.r; data.f.r
# explain: full debug
# raw: true
package f

default g(_) := "none"

g(1) := "one"

g("x") := "ex"

h(x, [y, z]) := x + y if z == 3

h(x, {"a": y}) := x * y

b(x) if x > 1

b(x) if x > 10

n(x) := false if x == 1

r := [g(1), g("x"), g(2), h(1, [2, 3]), h(2, {"a": 4})] if {
	b(11)
	not n(1)
	g(1)
	g(1)
}
