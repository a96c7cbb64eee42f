# query: data.s
# input: {"a": {"x": 1, "y": 2}}
# explain: full
package s

p contains k if {
	some k
	input.a[k] = 2
}

q if some 2 in input.a

r if "x", 1 in input.a

t := v if some k, v in input.a
