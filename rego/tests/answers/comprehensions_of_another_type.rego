# input: {"n":1,"arr":[1],"obj":{"a":1},"s":[1]}
# data.s: {"array":true,"computed":true,"each":true,"h":[],"member":true,"missing":true,"object":true,"put":true,"scalar":true,"with_right":true}
# strict

package s

# What is compared with a comprehension decides whether it is evaluated, and so whether it fails.

scalar if {
	x := input.n
	not x == [y | y := concat("-", input.s)]
}

array if not input.arr == {y | y := concat("-", input.s)}

object if not input.obj == [y | y := concat("-", input.s)]

computed if not f(input.n) == [y | y := concat("-", input.s)]

f(x) := x

with_right if not [y | y := concat("-", input.s)] == input.n

missing if not input.none == [y | y := concat("-", input.s)]

each if {
	some x in input.arr
	not x == {"k": y | y := concat("-", input.s)}
}

member if not g(1)[input.n]

g(_) := {[1]}

put if not h[input.n]

h contains [y | y := concat("-", input.s)] if input.none
