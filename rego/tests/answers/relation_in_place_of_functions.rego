# input: none
# data.s: {"a":[[1,[2]],1,[2],2],"b":{"[\"x\"]":1,"[]":{"x":1}},"c":[[1]],"d":true,"e":[3,[3]],"g":[3],"h":[7,[7]],"l":[[[5],5],[[[5]],[5]]],"m":[[1],1,[2],2],"o":[4],"q":true}

package s

f(x) := [[x], x]

a := [v | [_, v] = f([1, [2]]) with f as walk]

b := {json.marshal(p): v | [p, v] = f({"x": 1}) with f as walk}

c contains p if { some p; f(["a", "b"]) = [p, "b"] with f as walk }

d if f(false) with f as walk

e contains v if { [_, v] = f(data.s.g) with f as walk }

g := k([3])

k(x) := x

h contains v if { [_, v] = f(data.s.g) with f as walk with k as j }

j(_) := [7]

l contains w if { [_, v] = f([5]) with f as walk; w := f(v) }

m := [v | some x in [1, 2]; [_, v] = f([x]) with f as walk]

o := y if y := [w | [_, w] = n([4])] with f as walk

n(x) := y if { y := f(x); y[1] == 4 }

q if not f(["b"]) == [[0], "a"] with f as walk
