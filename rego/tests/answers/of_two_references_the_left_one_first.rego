# input: {"l":["a","zz"],"o":{"a":1,"b":2}}
# data.s: {"c":[],"d":true,"e":["a"],"f":[1],"members":[1,2]}
# prints: ["d","members"]
package s

import rego.v1

# The left one of two references is evaluated first, and if it has no value, the right one is not.

a if gone = members[_]

b if input.nope == members[_]

c := [i | data.nope = members[i]]

d if print("d")

e := [i | input.o.a = input.o[i]]

f := [i | input.l[1] == input.l[i]]

gone := 1 if input.nope

members contains x if {
	print("members")
	some x in [1, 2]
}
