# input: {}
# data: {"base": {"a": {"1": "x", "b": 1}}}
# data.s: {"a":[1],"b":[1,1.0],"c":["x"],"d":["x","x"],"e":[],"keys":["1","b"],"obj":{"1":"x","b":1}}
package s

import rego.v1

# Keys of base documents are text: `1` is there, `1.0` is not. What was found is known for equal numbers, what was not found is looked for again.

keys contains k if some k, _ in data.base.a

obj[k] := v if some k, v in data.base.a

a := [k | some k in [1.0, 1]; keys[k]]

b := [k | some k in [1, 1.0]; keys[k]]

c := [v | some k in [1.0, 1]; v := obj[k]]

d := [v | some k in [1, 1.0]; v := obj[k]]

e := [k | some k in [1.0, 1]; not obj[k]]
