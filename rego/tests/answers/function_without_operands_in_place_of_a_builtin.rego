# input: none
# data.s: {"now":5,"twice":[5,5]}
# prints: ["now","now"]

package s

# A function without operands in the place of a builtin is evaluated once for all that is under one `with`.

now() := 5 if print("now")

twice := x if {
	x := [y | some _ in [1, 2]; y := time.now_ns()] with time.now_ns as now
}
