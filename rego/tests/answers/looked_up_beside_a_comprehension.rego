# input: {"a": [5, 5], "w": "x"}
# data: {"foo": {"x": 1}}
# error: "eval_conflict_error: object keys must be unique"
# place: 14:12
package s

import rego.v1

# A variable that only heads a reference in an inner comprehension is not seen by it: `data.foo[w]` would go through everything.
ks := found if {
	some k
	v := input.a[k]
	w := input.w
	found := {"k": j | t = [1 | w.a]; data.foo[w]; input.a[j] = v}
}
