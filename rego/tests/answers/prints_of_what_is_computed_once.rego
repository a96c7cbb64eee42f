# input: none
# data.s: {"a":true,"b":true,"defined":1,"object":{"a":1},"set":[1],"standard":0}
# prints: ["undefined","function 1","function 1","function 2","defined","set","object","standard","b","undefined","defined"]

package s

undefined if {
	print("undefined")
	input.nothing
}

defined := 1 if print("defined")

set contains 1 if print("set")

object.a := 1 if print("object")

function(x) := x if {
	print("function", x)
	x > 1
}

default standard := 0

standard := 1 if {
	print("standard")
	input.nothing
}

a if {
	not undefined
	not undefined
	not function(1)
	not function(1)
	function(2) == function(2)
	defined == defined
	set == set
	object.a == object.a
	standard == standard
}

b if {
	print("b")
	not undefined with input as 1
	defined with input as 1
	not undefined
	defined
}
