# input: {}
# data: {"c":{"f":1,"g":2,"h":3}}
# data.s: {"above":true,"one":true,"stays":true,"two":true}
package s

# A function in the place of a document hides it, until a value is put there, below it or above it; other functions do not matter.

mock(x) := x.y

gone if {
	x := data.c
	not x.f
}

stays if {
	x := data.c
	x.f == 1
}

one if gone with data.c.f as mock

two if gone with data.c.f as mock with data.c.g as mock

two_left if stays with data.c.f as mock with data.c.g as mock

above if stays with data.c.f as mock with data.c as {"f": 1}

above_gone if gone with data.c.f as mock with data.c as {"f": 1}

deep if stays with data.c.f as mock with data.c.f.k as 7

deep_gone if gone with data.c.f as mock with data.c.f.k as 7
