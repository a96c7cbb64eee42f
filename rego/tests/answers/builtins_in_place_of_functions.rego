# input: none
# data.s: {"d":true,"e":1,"g":[{"k":2},{"k":1}],"h":{"k":2}}

package s

d if object.union({"k": 1}, {"k": 2}) with object.union as neq

e := x if x := count([1]) with count as sum

f(x, y) := [y, x]

g := x if x := object.union({"k": 1}, {"k": 2}) with object.union as f

h := x if x := f({"k": 1}, {"k": 2}) with f as object.union
