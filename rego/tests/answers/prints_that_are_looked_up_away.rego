# input: {"a":2,"b":2,"ks":[1,1]}
# data.s: {}
# prints: ["array in every 1","body","every 1"]

package s

# What prints inside of a term does not keep a rule from being passed over.
of_array if {
	xs := [1 | print("array")]
	count(xs) == 1
	input.a == 1
}

of_set if {
	xs := {1 | print("set")}
	count(xs) == 1
	input.a == 1
}

of_object if {
	xs := {"k": 1 | print("object")}
	count(xs) == 1
	input.a == 1
}

of_operand if {
	count([1 | print("operand")]) == 1
	input.a == 1
}

of_term if {
	[1 | print("term")]
	input.a == 1
}

of_key if {
	input.ks[count([1 | print("key")])]
	input.a == 1
}

of_target if {
	input.b == 1 with input.b as count([1 | print("target")])
	input.a == 1
}

of_every_in_array if {
	xs := [1 | every x in [1] { print("every in array", x) }]
	count(xs) == 1
	input.a == 1
}

of_domain if {
	every x in [1 | print("domain")] { x == 1 }
	input.a == 1
}

of_negated if {
	not 2 in [1 | print("negated")]
	input.a == 1
}

# What prints in the body of the rule, or of `every`, keeps it.
of_every if {
	every x in [1] { print("every", x) }
	input.a == 1
}

of_array_in_every if {
	every x in [1] {
		xs := [x | print("array in every", x)]
		count(xs) == 1
	}
	input.a == 1
}

of_body if {
	print("body")
	input.a == 1
}
