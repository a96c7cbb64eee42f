# input: none
# data.s: {"again":["real-1/mock","real-1/mock"],"defined_at_last":["nothing before","nothing before"]}

package s

g(x) := sprintf("real-%v", [x])

f(x) := g(x)

h(x) := concat("/", [f(x), "mock"])

again := [a, b] if {
	[a, b] = [f(1), f(1)] with g as h
}

nothing(x) := y if {
	x == "never"
	y := x
}

asks(x) := nothing(x)

instead(x) := "nothing before" if not asks(x)

defined_at_last := [a, b] if {
	[a, b] = [asks(1), asks(1)] with nothing as instead
}
