# input: none
# error: "eval_internal_error: unsupported built-in: eq"
# place: 7:16

package s

a := x if x := object.union({"k": 1}, {"k": 1.0}) with object.union as eq
