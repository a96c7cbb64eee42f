# input: none
# data.s: {"back":["yes","yes"],"inside_first":["yes","yes"],"out":["yes","yes"],"outside_first":["no","yes"]}
package s

# What a function that is called instead of a builtin finds out of other functions is known outside of it, and the other way round.
h([y], _) := "yes" if y > "a"

else := "no"

# First outside, where `"b"` is no more than `"a"`.
g(x, _) := false if x == "b"

g(x, _) := true if {
	x == "c"
	h(["b"], 1) == "no"
}

out := [h(["b"], 1), h(["c"], 1)]

# First inside, where it is.
k(x, _) := false if x == "b"

k(x, _) := true if {
	x == "c"
	h(["b"], 1) == "yes"
}

back := [h(["c"], 1), h(["b"], 1)]

outside_first := found if found := out with gt as g

inside_first := found if found := back with gt as k
