# query: data.p.p
# explain: full
package p

p if {
	x := 1
	print("x is", x)
	x == 1
}
