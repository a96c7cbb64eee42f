# Comprehensions are looked up inside of others that are, three levels deep.
# input: {"xs":[0,1,2],"ys":[0,1,2,0,1],"zs":[0,1,2,0,1,2],"ws":[0,1,2,1,2]}
# data.s: {"again":{"0":{"0":{"0":[0],"3":[]},"3":{}},"1":{"1":{"1":[1,3],"4":[]},"4":{}},"2":{"2":{"2":[2,4],"5":[]}}},"beside":{"0":[[0,3],[0]],"1":[[1,4],[1,3]],"2":[[2],[2,4]]},"three":{"0":[0],"1":[1],"2":[2]}}
# prints: ["again 0","again 1","again 2","again 3","again 4","beside 0","beside 1","beside 2","beside 3","beside 4","beside 5","other 0","other 1","other 2","other 3","other 4","other 5","last 0","last 1","last 2","last 3","last 4","first 0","second 0","third 0","third 1","third 2","third 3","third 4","second 1","second 2","second 3","second 4","second 5","first 1","first 2","first 3","first 4"]

package s

three := {x: ys |
	some x in input.xs
	ys := [y |
		input.ys[y] = x
		print("first", y)
		zs := [z |
			input.zs[z] = y
			print("second", z)
			ws := {w |
				input.ws[w] = z
				print("third", w)
			}
			count(ws) > 0
		]
		count(zs) > 0
	]
}

again := {x: ys |
	some x in input.xs
	ys := {y: zs |
		input.ys[y] = x
		zs := {z: ws |
			input.zs[z] = y
			ws := [w |
				input.ws[w] = z
				print("again", w)
			]
		}
	}
}

beside := {x: all |
	some x in input.xs
	ys := [y |
		input.ys[y] = x
		zs := [z | input.zs[z] = y; print("beside", z)]
		us := [u | input.zs[u] = y; print("other", u)]
		zs == us
	]
	ws := [w | input.ws[w] = x; print("last", w)]
	all := [ys, ws]
}
