# input: {"x": ["a", "b"]}
# data.s: {"all":["a is 1","b is 1"]}
package s

import rego.v1

f(_) := 1

all contains $"{x} is {f(x)}" if some x in input.x
