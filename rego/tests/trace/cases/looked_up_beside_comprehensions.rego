# query: data.s
# input: {"a": [5, 5], "w": "x"}
# data: {"foo": {"x": 1}}
# explain: full
package s

# A variable that heads a reference in an inner comprehension is not seen by that: `data.foo[w]` would go through everything.
head := [found |
	v := input.a[_]
	w := input.w
	found := [j | t = [1 | w.a]; data.foo[w]; input.a[j] = v]
]

head_of_an_object := [found |
	v := input.a[_]
	w := input.w
	found := {j: j | t = {1: 1 | w.a}; data.foo[w]; input.a[j] = v}
]

behind := [found |
	v := input.a[_]
	w := input.w
	found := {j | input.a[j] = v; data.foo[w]; t = {1 | w.a}}
]

# Here it is.
seen := [found |
	v := input.a[_]
	w := input.w
	found := [j | input.b[_] = w; data.foo[w]; input.a[j] = v]
]

neither := [found |
	v := input.a[_]
	w := input.w
	found := [j | t = [1 | w.a]; input.a[j] = v]
]

inside := [found |
	v := input.a[_]
	w := input.w
	found := [j | t = [1 | data.foo[w]]; input.a[j] = v]
]
