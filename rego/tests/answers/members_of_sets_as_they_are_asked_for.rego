# input: {"set": [1.0, 2], "x": 1}
# data.s: {"a_comprehension":[1],"b_rule":[1],"c_complete":[1],"d_function":[1],"e_input":[1],"f_local":[1],"g_pattern":[1.0],"h_unified":[1],"i_array":[[1]],"j_below":[1],"k_constant":[1],"members":[1.0,2],"whole":[1.0,2]}
package s

import rego.v1

a_comprehension := [y | y := {z | some z in input.set}[input.x]]

b_rule := [y | y := members[input.x]]

c_complete := [y | y := whole[input.x]]

d_function := [y | y := f(input.set)[input.x]]

e_input := z if z := [y | y := input.members[input.x]] with input.members as whole

f_local := [y | m := whole; y := m[input.x]]

g_pattern := [y | some y in whole; y == input.x]

h_unified := [x | x := input.x; whole[x]]

i_array := [y | m := {[z] | some z in input.set}; y := m[[input.x]]]

j_below := [y | m := {[z] | some z in input.set}; y := m[[input.x]][0]]

k_constant := [y | y := whole[1]]

members contains z if some z in input.set

whole := {z | some z in input.set}

f(x) := {z | some z in x}
