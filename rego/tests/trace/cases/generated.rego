# query: data.g
# explain: full
# profile: true
package g

a := [1, 2, 3][_] == 3

b := {"k": f(2), "l": [f(3)]}

f(x) := x * 2

c := f(f(1)) + f(2)

d := data.g[k] if k := "a"

x[f(1)] := f(2)

y if f(1) == 2

z := $"a {f(1)} b"
