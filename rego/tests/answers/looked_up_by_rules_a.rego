# input: {"zero":0}
# error: "eval_builtin_error: div: divide by zero"
# place: 10:2
# strict
package s

# Nothing is looked up by what rules make.

p := 1 if {
	1 / input.zero
	data.s.z.x == "a"
}

z.x := "b" if input.zero
