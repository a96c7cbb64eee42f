# input: {"x": 1, "y": {"z": 2}}
# data: {"base": {"k": {"l": 1}}, "other": {"f": 3}}
# data.s: {"a_before_and_behind":[[[0,1,1],{"z":2}],[[0,2,1],{"z":2}],[[0,1,1],{"z":2}]],"b_in_functions":[[1,5,1],["g",2,5],[3,1,1]],"c_outer":[[[0,7,8],4],{"k":{"l":8}}],"d_outer_of_the_same":[[[0,7,8],{"z":2}],{"k":{"l":8}}],"e_data_under_input":[[[0,1,6],{"z":2}],[[[0,7,8],3],{"k":{"l":8}}],[[0,1,1],3]],"f_function_under_data":["g",1,5],"g_function_under_function":["g",1,5],"h_rule_by_value":[[[0,7,8],{"z":2}],{"w":1}],"i_package":[[[0,1,2],{"z":2}],1],"inner":[[[0,7,8],{"z":2}],{"k":{"l":8}}],"l_function_value":["value","value",["value",{"z":2}]],"m_builtin":[7,[1,1,1]],"n_builtin_by_function":[[[1],1,1],2],"o_many":[[[0,1,1],[1]],[[0,2,1],[2]],[[0,3,1],[3]]],"p_order":[[0,1,1],2],"q_order":[[0,1,1],1],"r_not":true,"rule":[[0,1,1],{"z":2}],"s_every":true,"t_twice":[["g",1,1],["g",2,1],[["g",0,1],{"z":2}]],"twice":[[1,1,1],[2,1,1],1],"u_builtins_twice":[["g",[1],1],["g",[],1],["g",3,5]],"v_twice_inside":[["g",1,1],["g",2,1],3],"w_every_inside":[["g",2,1],1],"whole":{"k":{"l":1}},"x_handed_on":[[1,5,1],[2,5,1],1]}
package s

import rego.v1

# What is replaced is so for what is called from there, until the next one replaces it again; behind the expression it is as before.

f(x) := [x, input.x, data.base.k.l]

g(x) := ["g", x, input.x]

h(x) := z if z := f(x) with input.x as 5

i(x) := z if z := h(x) with f as g

rule := [f(0), input.y]

whole := data.base

inner := z if z := [rule, whole] with input.x as 7 with data.base.k.l as 8

a_before_and_behind := [x, y, z] if {
	x := rule
	y := rule with input.x as 2
	z := rule
}

b_in_functions := [h(1), i(2), f(3)]

c_outer := z if z := inner with input.y as 4

d_outer_of_the_same := z if z := inner with input.x as 4

e_data_under_input := z if {
	x := rule with data.base as {"k": {"l": 6}}
	z := [x, inner, rule] with input as {"x": 1, "y": 3}
}

f_function_under_data := z if z := i(1) with data.base.k as {"l": 9}

g_function_under_function := z if z := i(1) with g as h

h_rule_by_value := z if z := inner with whole as {"w": 1}

i_package := z if z := [data.s.rule, data.s.whole] with data.s.whole as 1 with data.base.k.l as 2

j_undefined if rule with input.x as input.none

k_undefined if not rule with input.x as input.none

l_function_value := z if z := [f(1), h(2), rule] with f as "value"

m_builtin := z if z := [count([1]), f(1)] with count as 7

n_builtin_by_function := z if z := [count([1]), max([1, 2])] with count as f with max as count

o_many := [z | some v in [1, 2, 3]; z := rule with input.x as v with input.y as [v]]

p_order := z if z := rule with input as {"x": 1, "y": 1} with input.y as 2

q_order := z if z := rule with input.y as 2 with input as {"x": 1, "y": 1}

r_not if not rule[0][1] == 1 with input.x as 2

s_every if every v in [1, 2] { f(v)[1] == v with input.x as v }

t_twice := z if z := [f(1), f(2), rule] with f as g

u_builtins_twice := z if z := [count([1]), count([]), i(3)] with count as g with f as h

twice := [f(1), f(2), count([1])]

v_twice_inside := z if z := twice with f as g with count as 3

w_every_inside := z if z := [y | some x in [1, 2]; y := twice[x]] with f as g

x_handed_on := z if z := twice with f as h
