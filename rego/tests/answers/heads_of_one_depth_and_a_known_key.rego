# input: none
# data.s: {"a":[[1,7,8]],"p":{"k":{"1":{"[7,8]":2,"s":1}}}}
# prints: ["array","text","array"]

package s

# Behind a key that is known a variable does not come first: rules whose heads cannot be what is asked for behind it are passed over.

p[k][x].s := 1 if {
	some k, x in {"k": 1}
	print("text")
}

p[k][x][y] := 2 if {
	some k, x in {"k": 1}
	y := [7, 8]
	print("array")
}

a contains [x, y, z] if p.k[x][[y, z]]
