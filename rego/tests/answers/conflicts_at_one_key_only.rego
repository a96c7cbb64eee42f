# input: none
# data.s: {"p":{"a":1,"b":2,"c":3},"q":2,"r":1}

package s

p["a"] := v if some v in [1, 1]

p[k] := v if some k, v in {"b": 2, "c": 3}

q := p.b

r := p.a
