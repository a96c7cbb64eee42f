# input: {"asked":["a","c","none",1,1.5,null,"a",{"t":"a"},"b"],"rows":[{"kind":"a","n":0,"deep":{"kind":"a"}},{"kind":"b","n":1,"deep":{"kind":"a"}},{"kind":"a","n":2,"deep":{"kind":{"t":"a"}}},{"kind":1,"n":3,"deep":{"kind":"c"}},{"kind":null,"n":4,"deep":{"kind":"b"}},{"kind":"b","n":5,"deep":{"kind":null}},{"kind":"c","n":6,"deep":{"kind":1}},{"kind":{"t":"a"},"n":7,"deep":{"kind":"a"}},{"kind":"a","n":8,"deep":{"kind":"b"}},{"kind":"a","n":9,"deep":{"kind":"a"}},"text",{"n":"alone"},["kind"]],"named":{"k0":{"kind":"a","n":0,"deep":{"kind":"a"}},"k1":{"kind":"b","n":1,"deep":{"kind":"a"}},"k2":{"kind":"a","n":2,"deep":{"kind":{"t":"a"}}},"k3":{"kind":1,"n":3,"deep":{"kind":"c"}},"k4":{"kind":null,"n":4,"deep":{"kind":"b"}},"k5":{"kind":"b","n":5,"deep":{"kind":null}},"k6":{"kind":"c","n":6,"deep":{"kind":1}},"k7":{"kind":{"t":"a"},"n":7,"deep":{"kind":"a"}},"k8":{"kind":"a","n":8,"deep":{"kind":"b"}},"k9":{"kind":"a","n":9,"deep":{"kind":"a"}},"k10":"text","k11":{"n":"alone"},"k12":["kind"]},"few":[{"kind":"a","n":0,"deep":{"kind":"a"}},{"kind":"b","n":1,"deep":{"kind":"a"}},{"kind":"a","n":2,"deep":{"kind":{"t":"a"}}},{"kind":1,"n":3,"deep":{"kind":"c"}},{"kind":null,"n":4,"deep":{"kind":"b"}},{"kind":"b","n":5,"deep":{"kind":null}},{"kind":"c","n":6,"deep":{"kind":1}}],"eight":[{"kind":"a","n":0,"deep":{"kind":"a"}},{"kind":"b","n":1,"deep":{"kind":"a"}},{"kind":"a","n":2,"deep":{"kind":{"t":"a"}}},{"kind":1,"n":3,"deep":{"kind":"c"}},{"kind":null,"n":4,"deep":{"kind":"b"}},{"kind":"b","n":5,"deep":{"kind":null}},{"kind":"c","n":6,"deep":{"kind":1}},{"kind":{"t":"a"},"n":7,"deep":{"kind":"a"}}],"texts":["a","b","c","d","e","f","a","h","i"],"number":12,"deep":{"kind":"b"}}
# data.s: {"both":[["a",0,0],["a",0,1],["a",0,7],["a",0,9],["a",2,0],["a",2,1],["a",2,7],["a",2,9],["a",8,0],["a",8,1],["a",8,7],["a",8,9],["a",9,0],["a",9,1],["a",9,7],["a",9,9],["b",1,4],["b",1,8],["b",5,4],["b",5,8],["c",6,3]],"constant":[["a",5],["c",1],["c",5],["none",1],["none",5],[1,1],[1,5],[1.5,1],[1.5,5],[null,1],["a",5],[{"t":"a"},1],[{"t":"a"},5],["b",1],["b",5]],"deep":[["a",0],["a",1],["a",7],["a",9],["c",3],[1,6],[null,5],["a",0],["a",1],["a",7],["a",9],[{"t":"a"},2],["b",4],["b",8]],"eight":[["a",0],["a",2],["c",6],[1,3],[null,4],["a",0],["a",2],[{"t":"a"},7],["b",1],["b",5]],"few":[["a",0],["a",2],["c",6],[1,3],[null,4],["a",0],["a",2],["b",1],["b",5]],"from_input":[["a",1],["a",5],["c",1],["c",5],["none",1],["none",5],[1,1],[1,5],[1.5,1],[1.5,5],[null,1],[null,5],["a",1],["a",5],[{"t":"a"},1],[{"t":"a"},5],["b",1],["b",5]],"lists":[["a",0],["a",2],["a",8],["a",9],["c",6],[1,3],[null,4],["a",0],["a",2],["a",8],["a",9],[{"t":"a"},7],["b",1],["b",5]],"none":[],"objects":[["a","k0"],["a","k2"],["a","k8"],["a","k9"],["c","k6"],[1,"k3"],[null,"k4"],["a","k0"],["a","k2"],["a","k8"],["a","k9"],[{"t":"a"},"k7"],["b","k1"],["b","k5"]],"places":[["a",0],["a",2],["a",8],["a",9],["c",6],[1,3],[null,4],["a",0],["a",2],["a",8],["a",9],[{"t":"a"},7],["b",1],["b",5]],"replaced":[["a",[0,2,8,9,0,2,8,9,0,2,8,9]],["c",[6,6,6]],["a",[0,2,8,9,0,2,8,9,0,2,8,9]]],"rows":[{"deep":{"kind":null},"kind":"b","n":5},{"deep":{"kind":1},"kind":"c","n":6},{"deep":{"kind":"a"},"kind":"a","n":0},{"deep":{"kind":"a"},"kind":"a","n":9},{"deep":{"kind":"a"},"kind":"b","n":1},{"deep":{"kind":"a"},"kind":{"t":"a"},"n":7},{"deep":{"kind":"b"},"kind":null,"n":4},{"deep":{"kind":"b"},"kind":"a","n":8},{"deep":{"kind":"c"},"kind":1,"n":3},{"deep":{"kind":{"t":"a"}},"kind":"a","n":2},{"n":"alone"}],"sets":[["a",0],["a",9],["a",8],["a",2],["c",6],[1,3],[null,4],["a",0],["a",9],["a",8],["a",2],[{"t":"a"},7],["b",5],["b",1]]}
package s

import rego.v1

# Members with a part that is equal to something, of collections that are gone through more than once: long and short ones, lists, objects
# and sets; by texts and by other values, of which some are nowhere; in the order of the members.

lists := [[x, n] |
	some x in input.asked
	some row in input.rows
	row.kind == x
	n := row.n
]

places := [[x, at] |
	some x in input.asked
	some at, row in input.rows
	row.kind == x
]

objects := [[x, name] |
	some x in input.asked
	some name, row in input.named
	x == row.kind
]

sets := [[x, row.n] |
	some x in input.asked
	some row in rows
	row.kind == x
]

rows := {row | some row in input.rows; is_object(row)}

deep := [[x, row.n] |
	some x in input.asked
	some row in input.rows
	row.deep.kind == x
]

few := [[x, row.n] |
	some x in input.asked
	some row in input.few
	row.kind == x
]

eight := [[x, row.n] |
	some x in input.asked
	some row in input.eight
	row.kind == x
]

none := [[x, row] |
	some x in input.asked
	some row in input[["texts", "number", "deep"][_]]
	row.kind == x
]

constant := [[x, row.n] |
	some x in input.asked
	some row in input.rows
	row.kind == "b"
	row.deep.kind != x
]

from_input := [[x, row.n] |
	some x in input.asked
	some row in input.rows
	row.kind == input.deep.kind
]

replaced := [[x, y] |
	some x in ["a", "c", "a"]
	y := [n | some asked in input.asked; some row in input.rows; row.kind == asked; n := row.n] with input.asked as [x, x, x]
]

both := [[x, row.n, other.n] |
	some x in ["a", "b", "c"]
	some row in input.rows
	row.kind == x
	some other in input.rows
	other.deep.kind == row.kind
]
