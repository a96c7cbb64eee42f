# input: none
# data.s: {"a":[2,3],"b":[1],"ys":{"deep":{"1":[{"l":1,"m":[1]},{"l":1,"m":{"n":1}},{"l":1,"m":{"o":1}}]}},"zs":[{"k":1,"l":2},{"k":2,"l":1},{"k":3,"l":1},{"l":1,"m":1}]}
# prints: ["2 and k 1","3 and k 1","l and m 1","l and m with another key 1","l and m with an array 1","k and 2 1","2 and k 1","3 and k 1","l and m 1"]
package s

# Each member of a head has to be one that the pattern may have, not one of them alone.

a contains k if zs[{"k": k, "l": 1}]

b contains k if ys.deep[k][{"l": k, "m": {"n": k}}]

ys.deep[k] contains {"l": k, "m": {"n": k}} if {
	k := 1
	print("l and m", k)
}

ys.deep[k] contains {"l": k, "m": {"o": k}} if {
	k := 1
	print("l and m with another key", k)
}

ys.deep[k] contains {"l": k, "m": [k]} if {
	k := 1
	print("l and m with an array", k)
}

zs contains {"k": k, "l": 2} if {
	k := 1
	print("k and 2", k)
}

zs contains {"k": 2, "l": k} if {
	k := 1
	print("2 and k", k)
}

zs contains {"k": 3, "l": k} if {
	k := 1
	print("3 and k", k)
}

zs contains {"l": k, "m": k} if {
	k := 1
	print("l and m", k)
}
