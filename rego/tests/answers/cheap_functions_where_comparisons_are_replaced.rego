# input: none
# data.s: {"back":["yes","yes"],"inside_first":["yes","yes"],"out":["yes","yes"],"outside_first":["no","yes"]}
package s

# What a function that is called instead of a builtin finds out of other functions is known outside of it, and the other way round: also of
# functions that are computed faster than they are looked up.
h(y) := "yes" if y > "a"

else := "no"

# First outside, where `"b"` is no more than `"a"`.
g(x, _) := false if x == "b"

g(x, _) := true if {
	x == "c"
	h("b") == "no"
}

out := [h("b"), h("c")]

# First inside, where it is.
k(x, _) := false if x == "b"

k(x, _) := true if {
	x == "c"
	h("b") == "yes"
}

back := [h("c"), h("b")]

outside_first := found if found := out with gt as g

inside_first := found if found := back with gt as k
