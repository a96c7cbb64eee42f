# input: none
# data: {"s": {"f": {"x": 5}, "g": {"x": {"y": 5}}, "h": {"a": 1}, "q": [1, 2], "n": {"1": 5}}}
# data.s: {"answers":[[1,2],1,2,{"1":1,"x":5},1,5,{"x":{"1":{"y":1},"y":5}},{"y":1},5,1,1,{"1":5}],"f":{"1":1,"x":5},"g":{"x":{"1":{"y":1},"y":5}},"h":{"a":1,"true":1},"n":{"1":5},"q":[1,2]}

package s

f[1] := 1

g.x[1].y := 1

h[true] := 1

q[3] := 1

answers := [data.s.q, data.s.q[3], data.s.q[1], data.s.f, f[1], f.x, data.s.g, g.x[1], g.x.y, h.a, h[true], data.s.n]
