# input: none
# data.s: {"a":["x"],"b":["x"],"c":{"x":2},"d":["x"],"ys":{"p":{"q":[[1],[1,"x"]]},"x":{"x":[["x",2]]}},"zs":[["x"],["x",1],{"k":"x"},{"k":"x","l":1}]}
# prints: ["k x","k x","two and x","one and x","one","array of x","k x","k and l x","array of x","constant"]

package s

# Rules whose heads cannot be what a reference asks for are not evaluated; what is found by a pattern is not kept.

a contains k if zs[{"k": k}]

b contains k if zs[{"k": k}]

c[k] := v if ys[k][k][[k, v]]

d contains k if zs[[k]]

ys.p.q contains [1, k] if {
	k := "x"
	print("one and", k)
}

ys.p.q contains [1] if print("one")

ys[k][k] contains [k, 2] if {
	k := "x"
	print("two and", k)
}

zs contains {"k": k} if {
	k := "x"
	print("k", k)
}

zs contains {"k": k, "l": 1} if {
	k := "x"
	print("k and l", k)
}

zs contains [k] if {
	k := "x"
	print("array of", k)
}

zs contains ["x", 1] if print("constant")
