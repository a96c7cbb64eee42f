# input: {"roles": ["a", "b"]}
# data.s: {"a_first":["a","b"],"a_second":[1],"b_whole":2,"c_after":["a","b"],"d_object":["b"],"d_object_again":["b"],"e_deep":[1],"e_deep_again":[1],"f_keyed":[1],"f_keyed_again":[1],"g_below":[1],"g_below_again":[1],"h_some":[1],"h_some_again":[1],"i_number":["a","b"],"m":[["a"],["a",1],["b"],["b",1]],"o":{"[0,\"a\"]":"a","[1,\"b\"]":"b"},"r":[["a",1],["b",1]],"t":{"k":[["a",1],["b",1]]},"u":{"[\"a\",1]":{"k":"a"},"[\"b\",1]":{"k":"b"}},"w":{"a":[[1,1]],"b":[[2,1]]}}
# prints: ["r a","r b","r a","r b","r a","r b","o 0","o 1","o 0","o 1","u a","u b","u a","u b","t a","t b","t a","t b","w a","m a","m b","m a","m b","m alone a","m alone b","m a","m b","m alone a","m alone b","o 0","o 1","t a","t b","u a","u b","w a","w b"]
package s

import rego.v1

# What is asked for by patterns, in which variables alone are unknown, is evaluated each time until all of it is known, whether all of its
# rules may have such members or only some. Below a key that is known it is evaluated once.

a_first contains y if r[[y, z]]

a_second contains z if r[[y, z]]

b_whole := count(r)

c_after contains y if r[[y, z]]

d_object contains v if v := o[[1, k]]

d_object_again contains v if v := o[[1, k]]

e_deep contains z if u[[y, z]].k

e_deep_again contains z if u[[y, z]].k

f_keyed contains z if t.k[[y, z]]

f_keyed_again contains z if t.k[[y, z]]

g_below contains z if w.a[[y, z]]

g_below_again contains z if w.a[[y, z]]

h_some contains z if m[[y, z]]

h_some_again contains z if m[[y, z]]

i_number contains z if m[[z]]

r contains [x, 1] if {
	some x in input.roles
	print("r", x)
}

o[[n, x]] := x if {
	some n, x in input.roles
	print("o", n)
}

u[[x, 1]].k := x if {
	some x in input.roles
	print("u", x)
}

t.k contains [x, 1] if {
	some x in input.roles
	print("t", x)
}

w[name] contains [x, 1] if {
	some name, x in {"a": 1, "b": 2}
	print("w", name)
}

m contains [x, 1] if {
	some x in input.roles
	print("m", x)
}

m contains [x] if {
	some x in input.roles
	print("m alone", x)
}
