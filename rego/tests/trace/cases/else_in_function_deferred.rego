# query: data.e.p
# input: {"xs": [1, 2, 3]}
# explain: full
package e

p if {
	some x in input.xs
	kind(x) == "two"
}

kind(x) := "one" if {
	x == input.xs[0]
} else := "two" if {
	some y in input.xs
	y == x
} else := "none"
