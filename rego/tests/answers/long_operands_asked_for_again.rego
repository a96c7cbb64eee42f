# input: none
# data.s: {"a":[70000,70000],"b":70000}
# prints: ["counted 70000"]

package s

# What is asked for again with the same operand is found once, however long the operand is.

f(x) := n if {
	n := count(x)
	print("counted", n)
}

a := [f(x), f(x)] if x := numbers.range(1, 70000)

b := 70000
