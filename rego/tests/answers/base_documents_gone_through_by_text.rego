# input: none
# data: {"base": {"a": {"1": "x"}, "n": [["p", "q"]]}}
# data.s: {"a":["x"],"b":["q"],"c":[],"d":["q"],"e":["x"],"f":["x"],"g":["x"],"h":["a","n"],"i":[{"1":"x","b":1},[["p","q"]]],"j":[3,4],"k":["t"],"l":[]}
package s

import rego.v1

a := [x | x := data.base[_][1]]

b := [x | x := data.base.n[_]["1"]]

c := [x | some y in data.base; x := y[1]]

d := v if v := [x | x := data.base.n[_]["1"]] with data.base.z as 1

e := v if v := [x | x := data.base[_][1]] with data.base.z as 1

f := v if v := [x | x := data.base[_][1]] with data.base.a.b as 1

g := v if v := [x | x := data.base[_]["1"]] with data.base.n as [3,4]

h := v if v := [q | x := data.base[q]] with data.base.a.b as 1

i := v if v := [x | x := data.base[_]] with data.base.a.b as 1

j := v if v := [x | x := data.base.n[_]] with data.base.n as [3,4]

k := v if v := [x | x := data.base.n[_]["1"]] with data.base.n as [["r", "s"], {"1": "t"}]

l := [x | x := data.base[_]["01"]]
