# input: {"s":[1]}
# data: {"xs":["a"]}
# error: "eval_type_error: concat: operand 2 must be array of strings but got array containing number"
# place: 9:16
# strict

package s

p if [y | y := concat("-", input.s)] == data.xs[_]
