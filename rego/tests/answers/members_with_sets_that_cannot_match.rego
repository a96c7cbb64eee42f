# input: {}
# data.s: {"p":[[1,[2]]]}
# prints: ["evaluated"]
package s

import rego.v1

asked if p[[5, {2}]]

p contains [1, {y}] if {
	y := 2
	print("evaluated")
}
