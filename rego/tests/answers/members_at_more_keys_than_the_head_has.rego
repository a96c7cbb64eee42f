# input: {"k": "a", "l": "b"}
# data.s: {"asked":1,"p":{"a":{"b":1},"c":{"d":2}}}
package s

import rego.v1

p[x] := {"b": 1} if x := "a"

p[x][y] := 2 if {
	x := "c"
	y := "d"
}

asked := p[input.k][input.l]
