# input: {"a":2,"b":2}
# data.s: {}
# prints: ["and","array in and","array in not","first","third","not","operand of not","or","or in every 1"]

package s

import rego.v2

of_and if {
	{ print("and"); input.b } and { input.b == 2 }
	input.a == 1
}

of_array_in_and if {
	{ count([1 | print("array in and")]) == 1 } and { input.b == 2 }
	input.a == 1
}

of_or if {
	{ input.b == 3 } or { print("or"); input.b }
	input.a == 1
}

of_not if {
	not { print("not"); input.b == 3 }
	input.a == 1
}

of_array_in_not if {
	not { count([1 | print("array in not")]) == 2 }
	input.a == 1
}

of_operand_of_not if {
	not count([1 | print("operand of not")]) == 2
	input.a == 1
}

of_and_in_array if {
	count([1 | { print("and in array"); input.b } and { input.b == 2 }]) == 1
	input.a == 1
}

of_or_in_every if {
	every x in [1] { { input.b == x } or { print("or in every", x); input.b } }
	input.a == 1
}

of_branch := 1 if {
	print("first")
	input.a == 3
} else := 2 if {
	xs := [1 | print("second")]
	count(xs) == 1
	input.a == 4
} else := 3 if {
	not { print("third"); input.b == 3 }
	input.a == 5
}
