# input: none
# data: {"base": {"list": [7, 8], "obj": {"0": "zero", "1.0": "one"}, "minus": {"-0": "less"}}}
# data.s: {"inside":["one","one","zero","zero","zero"],"minus_first":[7,7,7,"zero","zero","less","less","less"],"none":[1],"one_first":["one","one","one"],"other_first":["one","one","one"],"zero_first":[7,7,"zero","zero","less","less"]}
package s

import rego.v1

# A function that finds nothing for a number may find something for an equal one: base documents have texts as keys.

f(k, l) := data.base[k][l]

minus_first := [x | some k in ["list", "obj", "minus"]; some l in [-0, 0, -0]; x := f(k, l)]

zero_first := [x | some k in ["list", "obj", "minus"]; some l in [0, -0]; x := f(k, l)]

one_first := [x | some l in [1, 1.0, 1]; x := f("obj", l)]

other_first := [x | some l in [1.0, 1, 1e0]; x := f("obj", l)]

g([k]) := data.base.obj[k]

inside := [x | some l in [1, 1.0, 1e0, 0, -0, 0.0]; x := g([l])]

none := [1 | some l in [1, 1.0]; not f("obj", l)]
