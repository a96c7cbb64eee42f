# input: {"s":[1]}
# data: {"x":1}
# error: "eval_type_error: concat: operand 2 must be array of strings but got array containing number"
# place: 9:26
# strict

package s

p if data.x == [y | y := concat("-", input.s)]
