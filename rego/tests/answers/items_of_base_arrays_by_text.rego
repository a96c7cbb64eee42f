# input: none
# data: {"base": {"k": ["x", "y"], "n": [["p", "q"]]}}
# data.s: {"a":"y","b":"y","c":"q","d":true,"e":true,"f":"y"}
package s

import rego.v1

a := data.base.k["1"]

b := data.base.k["01"]

c := data.base.n[_]["1"]

d if not data.base.k["-1"]

e if not data.base.k["1"] with data.base.k as ["x", "y"]

f := x if x := data.base.k["1"] with data.base.z as 1
