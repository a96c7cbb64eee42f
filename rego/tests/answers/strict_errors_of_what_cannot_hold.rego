# input: {"a":"y","n":"no"}
# data.s: {"x":1,"z":1}
# strict
# indexed

package s

x := 1 if {
	to_number(input.n) == 1
	input.a == "x"
}

x := 1 if input.a == "y"

f(a) := 1 if {
	to_number(input.n) == 1
	a == "x"
}

f(a) := 1 if a == "y"

z := f("y")
