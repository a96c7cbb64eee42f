# query: data.w.r
# input: {"a": 1}
# data: {"base": {"n": 7}}
# explain: full debug
# profile: true
package w

p if input.a == 2

n := data.base.n

f(x) := x + 1

g(x) := x * 10

r if {
	p with input.a as 2
	p with input as {"a": 2}
	not p
	n == 5 with data.base.n as 5
	n == 7
	f(1) == 10 with f as g
	f(1) == 3 with f as 3
	count([1, 2]) == 9 with count as 9
	count([1, 2]) == 2
	x := y with data.w.p as "mocked"
	x == "mocked"
}

y := p
