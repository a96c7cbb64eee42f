# input: none
# data.s: {"p":true}

package s

p if {
	print("never", input.x)
	true
}
