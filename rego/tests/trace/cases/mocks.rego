# query: data.m
# explain: full
package m

f(x) := x + 1

g(x) := f(x) * 10

h := 7

p if {
	f(1) == 20 with f as g
	f(1) == 7 with f as h
	count([1]) == 7 with count as h
	not f(1) == 2 with f as false
	r with input as {"a": {"b": 1}} with input.a.c as 2
	q == 5 with data.m.h as 5
	f(2) with f as g
}

q := h

r := [k | input.a[k]]
