# input: {"x": 1, "y": {"a": 2}, "list": [1, 2]}
# data.s: {"below":9,"bound":[1,{"a":2}],"called":[1,{"a":2},2,false],"called_and_replaced":1,"compared":true,"d":false,"inside":[1,1],"mixed":1,"negated":true,"of_mixed":[1,1],"once":[{"a":2},{"a":2}],"p":[1,2],"q":{"a":2},"r":1,"read_and_replaced":3,"replaced_by_a_rule":[1,7],"replaced_input":8,"seven":7,"through":[4,5,1]}

package s

# A rule with one value can be called, whether or not its head has brackets; what it is replaced by is read, and not called.

r() := input.x

q := input.y

p contains x if some x in input.list

default d := false

d := input.z

called := [r(), q(), q().a, d()]

bound := [x, y] if {
	r(x)
	q(y)
}

compared if r(1)

compared_with_another if r(2)

negated if not r(2)

inside := [x | some _ in p; x := r()]

read_and_replaced := x if x := r with r as 3

called_and_replaced := x if x := r() with r as 3

nothing_called_and_replaced := x if x := nothing() with nothing as 3

nothing() := input.nothing

replaced_by_a_rule := [x, y] if {
	x := r() with r as seven
	y := r with r as seven
}

seven() := 7

below := x if x := r.b with r as {"b": 9}

through := x if x := f(4) with data.s.r as 5

f(x) := [x, r, r()]

mixed := 1 if false

mixed() := input.x

of_mixed := [mixed, mixed()]

replaced_input := x if x := r() with input.x as 8

once := [a, b] if {
	a := q()
	b := q
}
