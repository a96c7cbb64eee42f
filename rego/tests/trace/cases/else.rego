# query: data.e.p; data.e.q; data.e.f(3, y)
# input: {"n": 2}
# explain: full fails debug
# profile: true
# raw: true
package e

p := "one" if input.n == 1

else := "two" if input.n == 2

else := "three"

q := "a" if {
	input.n > 5
} else := "b" if {
	input.n > 4
} else := "c" if {
	x := input.n
	x < 3
}

f(x) := "small" if x < 2

else := "big" if x > 2
