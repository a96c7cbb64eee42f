# query: data.a
# input: {"x": 1, "y": 2}
# explain: full notes fails

package a

# What a rule answers that is called is remembered apart from its document.

r := input.x

q() := input.y

p := [x, x2, y, z] if {
	x := r()
	x2 := r()
	y := q() with q as 3
	z := q with q as 4
}

s if not r(2)
