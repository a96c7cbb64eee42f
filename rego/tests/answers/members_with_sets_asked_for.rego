# input: {}
# data.s: {"alone":[[2]],"behind":[[1,[2]]],"c":true,"front":[[[1],1]],"g":true,"key":{"[1,[2]]":1},"known":[[1,[1]]],"multi":{"x":[[2]]},"object":[{"k":[2]}]}
package s

import rego.v1

# Nothing is taken out of a set: where a member is asked for by its value, one that holds a set with variables that are not bound
# in front of it is none of those asked for.

a if alone[{2}]

b if behind[[1, {2}]]

c if known[[1, {1}]]

d if front[[{1}, 1]]

e if object[{"k": {2}}]

f if multi.x[{2}]

g if key[[1, {2}]]

alone contains {y} if y := 2

behind contains [x, {y}] if {
	x := 1
	y := 2
}

known contains [x, {x}] if x := 1

front contains [{x}, x] if x := 1

object contains {"k": {y}} if y := 2

multi[k] contains {y} if {
	k := "x"
	y := 2
}

key[[x, {y}]] := 1 if {
	x := 1
	y := 2
}
