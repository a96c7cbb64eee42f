# input: none
# data.s: {"a":[1,2]}

package s

f(x) := 1 if {
	x == 1
} else := 2 if {
	x == 2
}

a := [f(1), f(2)]
