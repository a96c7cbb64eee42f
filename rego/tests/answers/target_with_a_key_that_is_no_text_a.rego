# input: {"i":0,"k":{"k":9,"j":2}}
# data: {"z":{"k":3}}
# error: "eval_conflict_error: bad document path"

package s

x := "k"

a := y if y := input with input[x] as 1
