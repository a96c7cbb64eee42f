# input: none
# data.s: {"in_arrays":[],"keys":["c"],"known":["c","d"],"other":[],"p":{"a":{"c":[["a"]],"d":[["a"]]},"b":{"c":[["b"]],"d":[["b"]]}},"q":{"[\"a\",1]":{"c":[[2,"a"]],"d":[[2,"a"]]},"[\"b\",1]":{"c":[[2,"b"]],"d":[[2,"b"]]}},"r":{"a":{"{\"a\":\"c\"}":["c"],"{\"a\":\"d\"}":["d"]},"b":{"{\"b\":\"c\"}":["c"],"{\"b\":\"d\"}":["d"]}},"unknown":[["a","c"],["a","d"]]}

package s

# What stands in a set is known by a key in front of it: what the head is asked for at that key has it for the variable.

p[x][y] contains {x} if {
	some x in ["a", "b"]
	some y in ["c", "d"]
}

q[[x, 1]][y] contains {x, z} if {
	some x in ["a", "b"]
	some y in ["c", "d"]
	z := 2
}

r[x][{x: y}] contains y if {
	some x in ["a", "b"]
	some y in ["c", "d"]
}

known := [y | p.a[y][{"a"}]]

other := [y | p.a[y][{"b"}]]

in_arrays := [y | q[["a", 1]][y][{"a", 2}]]

keys := [y | r.a[{"a": "c"}][y]]

unknown := [[x, y] | p[x][y][{"a"}]]
