# input: {"x": "a"}
# strict
# error: "eval_type_error: plus: operand 1 must be number but got string"
# place: 9:6
package s

import rego.v1

a if input.x + 1

b := x if some x in [1, 2]
