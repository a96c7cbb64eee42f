# input: none
# data.s: {"a":[1,1],"b":[7,7,7]}

package s

a := [x, y] if [x, y] = [y, 1]

b := [x, y, z] if {
	[{"k": x}, y, z] = [{"k": y}, z, 7]
}
