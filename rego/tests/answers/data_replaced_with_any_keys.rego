# input: {"x": 1.5}
# data.s: {"a":"number","b":"array","c":"below"}
package s

import rego.v1

f(x) := data.limits[x]

g(x) := data.limits.a[x]

a := v if v := f(input.x) with data.limits as {input.x: "number"}

b := v if v := f([1]) with data.limits as {[1]: "array"}

c := v if v := g(1) with data.limits.a as {1: "below"}
