# input: none
# data.s: {"p":{"x":1},"q":{"y":"a"}}
# unindexed
# v0

package s

# Only where definitions are looked up is it a conflict.

p["x"] = v { v = [1, 2][_] }

q["y"] = "a"

q["y"] = "b"
