# input: {"x": 1}
# data.s: {"beside":true,"binds":true,"calls":true,"compares":true,"inside":[8,8],"many":true,"matches":true,"value":7}
# prints: ["f 1","g 10","after both","g 10","f 2","f 1","after f is 3","f 2","f 1","after f","f 2","after f is 1","f 1","f 2","f 1","g 8","g 8","f 2","g 6","after g","g 6","f 1","after an array of 9","f 2","f 1","f 2","f 1","f 2"]
package s

import rego.v1

# What follows a call is evaluated as soon as there is an answer, before the other definitions are tried.

f(x) := x if print("f 1")

f(x) := x if print("f 2")

g(x) := y if {
	some y in [x, x]
	print("g", y)
}

calls if {
	f(input.x)
	print("after f")
}

compares if {
	f(input.x) == 1
	print("after f is 1")
}

fails if {
	f(2) == 1
	print("after nothing")
}

binds if {
	y := f(3)
	print("after f is", y)
}

not_called if {
	not f(4)
	print("after not")
}

many if {
	g(6)
	print("after g")
}

value := f(7)

inside := [f(8), g(8)]

matches if {
	[y] = [f(9)]
	print("after an array of", y)
}

beside if {
	f(10)
	g(10)
	print("after both")
}
