# input: {"a":{"k":["a","b"]},"xs":["x",0]}
# data.s: {"all":true,"no_key_of_itself":[0,1]}

package s

import future.keywords.not

# What is declared has its name already in front of the declaration: OPA takes both for one.

all if {
	input[v]
	every v in input[v].k { v == "a" }
}

no_key_of_itself contains z if {
	input.xs[z]
	not { z := input.xs[z] }
}
