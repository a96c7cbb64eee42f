# input: {"xs":[1,2,3,1],"ys":[1,2,1,4],"no":{"2":1}}
# data.s: {"found":{"1":[0,2],"2":[1],"3":[]},"looked_at":{"1":[0,2],"2":[1],"3":[]},"named":{"1":{"k0":0,"k2":2},"2":{"k1":1},"3":{}},"negated":{"1":[0],"2":[1],"3":[]},"not_in":{"1":[0,2],"2":[1],"3":[]}}
# prints: ["found 0","found 1","found 2","found 3","looked at 0","looked at 1","looked at 2","looked at 3","looked at 0","looked at 1","looked at 2","looked at 3","named k0","named k1","named k2","named k3","not in 0","not in 1","not in 2","not in 3"]

package s

found := {x: ys |
	some x in input.xs
	ys := [y |
		input.ys[y] = x
		print("found", y)
	]
}

named := {x: ys |
	some x in input.xs
	ys := {k: y |
		input.ys[y] = x
		k := sprintf("k%d", [y])
		print("named", k)
	}
}

not_in := {x: ys |
	some x in input.xs
	ys := {y |
		input.ys[y] = x
		not input.no[y]
		print("not in", y)
	}
}

looked_at := {x: ys |
	some x in input.xs
	ys := [y |
		some y, z in input.ys
		print("looked at", y)
		z = x
	]
}

negated := {x: ys |
	some x in input.xs
	ys := [y |
		some y in [0, 1, 2, 3]
		not input.no[sprintf("%d", [y])]
		input.ys[y] = x
	]
}
