# input: {"zero":0}
# error: "eval_builtin_error: div: divide by zero"
# place: 10:2
# strict
package s

# Nothing is looked up by what may be below a rule.

p := 1 if {
	1 / input.zero
	data.s.w.c == "a"
}

w[input.k] := "c" if input.zero
