# input: {"a": 1, "b": 4}
# data.s: {"x":1}
# indexed

package s

two(x) := 1 if x

two(x) := 2 if x

f(_) := 1 if input.a == 1

f(_) := 1 if two(true)

f(_) := 1 if {
	input.a == 7
} else := input.a if {
	false
	input.b == 5
}

x := f(1)
