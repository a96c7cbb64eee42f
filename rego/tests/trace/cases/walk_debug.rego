# query: data.b.known; data.b.some_known; data.b.whole; data.b.member; data.b.none
# explain: debug
package b

x := {"a": [5, {"b": 7}], "c": {"b": 8}}

known contains v if walk(x, [["a", 1, "b"], v])

some_known contains [k, v] if walk(x, [[k, "b"], v])

whole contains v if {
	path := ["c"]
	walk(x, [path, v])
}

member contains k if walk({1.0, [2]}, [[1], k])

none contains v if walk(x, [["a", 10e-1], v])
