# input: {}
# data.s: {"asked":[],"p":[{"a":5,"b":3},{"b":3,"c":5}]}
# prints: ["constant","other"]
package s

import rego.v1

asked := [x | p[{"a": x, "b": 2}]]

p contains {"a": 5, "b": 3} if print("constant")

p contains {"c": 5, "b": 3} if print("other")
