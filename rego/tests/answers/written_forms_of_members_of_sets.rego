# input: {"n": 1.0, "m": 1}
# data.s: {"p":[1,2],"q":[1,2],"r":[1.0,2]}
package s

p := [z | x := {[input.n, 2]}; z := x[[1, 2]][_]]

q := [z | x := {"k": {[input.n, 2]}}; z := x.k[[1, 2]][_]]

r := [z | x := {[input.m, 2]}; z := x[[input.n, 2]][_]]
