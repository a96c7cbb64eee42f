# input: {"a": 3, "b": [1, 2]}
# data.s: {"p":true,"t":true,"v":true,"w":true,"x":true}
package s

import future.keywords.and
import future.keywords.not
import future.keywords.or

p if not [1, 2][input.a] == 3

t if not [x | x := input.a][0] == [1, 2][1]

v if [input.a][0] == 4 or [input.b][0][0] == 1

w if [input.a][0] == 3 and [input.b][0][1] == 2

x if not { not [input.a][0] == 3 }
