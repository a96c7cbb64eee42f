# input: {"x":{"a":[5,{"b":7}],"c":{"b":8}},"paths":["a",1,{"a":1},["c"]]}
# data.s: {"answers":[["a",1,"b"]],"below_members":[[0,1.0],[1,2]],"count_of":7,"index":[[1,5],[1.0,6]],"instead":[[{"b":7}]],"keys":["a"],"later":[7],"members":[1.0],"no_path":["array"],"of_text":[],"otherwise":[6],"pairs":[[["a",0],5],[["a",1,"b"],7],[["c","b"],8]],"paths":[["a",0],["a",1,"b"],["c","b"]],"root":[{"a":[5,{"b":7}],"c":{"b":8}}],"some_keys":[[1,7]],"twice":[[0,"z"],[1.0,"y"]],"unseen":[5,7,8],"whole_pair":[[["a",0],5]],"whole_path":[{"b":7}],"written":[6]}

package s

# Keys of the path that are known are looked up, and stand in it as they are asked for: an index is an integer that is written as one, and of a
# set it is the member that was asked for.

index contains [w, v] if {
	some i, w in [1, 1.0, 10e-1, "1", -1, 2]
	walk([5, 6], [[i], v])
	i == i
}

written contains v if walk([5, 6], [[1], v])

otherwise contains v if walk([5, 6], [[1.0], v])

members contains v if walk({1}, [[1.0], v])

below_members contains [k, v] if walk({[1, 2], [3]}, [[[1.0, 2], k], v])

keys contains v if walk({1: "a", 2: "b"}, [[1.0], v])

some_keys contains [k, v] if walk(input.x, [["a", k, "b"], v])

later contains v if walk(input.x, [[_, 1, _], v])

# Of a variable that is bound in front of its second place nothing is known before.
twice contains [k, v] if walk({1.0: ["x", "y"], 0: ["z"]}, [[k, k], v])

whole_path contains v if {
	path := ["a", 1]
	walk(input.x, [path, v])
}

whole_pair contains pair if {
	some pair in [[["a", 0], 5], [["a", 10e-1], {"b": 7}], [["c"], 1], "a", [1, 2]]
	walk(input.x, pair)
}

no_path contains kind if {
	some path in input.paths
	kind := type_name(path)
	walk(input.x, [path, _])
}

root contains v if walk(input.x, [[], v])

not_there if walk(input.x, [["a", "b", "c"], _])

of_text contains v if walk("text", [[0], v])

instead contains v if {
	v := [a | f(input.x, [["a", 1.0], a])] with f as walk
}

f(x) := [["a", 1.0], x]

unseen contains v if {
	walk(input.x, [_, v])
	is_number(v)
}

paths contains p if {
	walk(input.x, [p, v])
	is_number(v)
}

pairs contains p if {
	walk(input.x, p)
	is_number(p[1])
}

answers contains p if [p, 7] = walk(input.x)

count_of := count([1 | walk(input.x)])
