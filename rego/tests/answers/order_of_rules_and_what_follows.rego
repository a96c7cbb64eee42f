# input: {"x": 1, "s": "k"}
# data.s: {"a_test":true,"c_equal_to":true,"e_gone_through":[1],"f_not":true,"g_each":true,"j_collected":[[1],1],"k_replaced":true,"l_call":true,"r_a":1,"r_d":{"k":1},"r_e":{"k":1},"r_f":[1],"r_g":2,"r_h":[1,2],"r_i":false,"r_j":{"k":1},"r_k":1,"r_l":1,"r_m":[1]}
# prints: ["a 1","after r_a","a 2","d 1","after r_d","d 1","e 1","after r_e 1","e 1","f 1","after r_f 1","f 1","g 2","g 2","after not r_g","h 1","each 1","each 2","after r_h","h 1","i false","i false","j 1","j 1","k 1","k 1","after r_k [1] 1","l 1","after r_l","l 1","m 1","after r_m","m 1","l 1","l 1"]
package s

import rego.v1

# What follows a rule with one value is evaluated as soon as that is there, once; then come its other definitions.

a_test if {
	r_a
	print("after r_a")
}

c_equal_to if {
	r_d == {"k": input.x}
	print("after r_d")
}

d_below if {
	x := r_e[input.s]
	print("after r_e", x)
	x == 2
}

e_gone_through contains x if {
	some x in r_f
	print("after r_f", x)
}

f_not if {
	not r_g == 1
	print("after not r_g")
}

g_each if {
	every x in r_h {
		print("each", x)
	}
	print("after r_h")
}

h_undefined if {
	r_i
	print("never")
}

i_missing if {
	r_j[input.s] == 2
	print("never")
}

j_collected := [x, y] if {
	x := [z | z := r_k]
	y := r_k
	print("after r_k", x, y)
}

k_replaced if {
	r_l == 1 with input.x as 1
	print("after r_l")
}

l_call if {
	count(r_m) == 1
	print("after r_m")
}

r_a := x if {
	x := input.x
	print("a 1")
}

r_a := 1 if print("a 2")

r_d := {"k": x} if {
	some x in [1, 1]
	print("d", x)
}

r_e := {"k": x} if {
	some x in [1, 1]
	print("e", x)
}

r_f := [x] if {
	some x in [1, 1]
	print("f", x)
}

r_g := x if {
	some x in [2, 2]
	print("g", x)
}

r_h := [x, 2] if {
	some x in [1, 1]
	print("h", x)
}

r_i := x if {
	some x in [false, false]
	print("i", x)
}

r_j := {"k": x} if {
	some x in [1, 1]
	print("j", x)
}

r_k := x if {
	some x in [1, 1]
	print("k", x)
}

r_l := x if {
	some x in [1, 1]
	print("l", x)
}

r_m := [x] if {
	some x in [1, 1]
	print("m", x)
}
