# input: {"a":1}
# data.s: {"beside":2,"each":[1,2,3],"h":1,"in_front":2,"inside":[3],"keyed":{},"made":[],"members":[1],"no":false,"not_called":true,"of_builtin":2,"of_default":2,"of_object":{"k":2},"of_package":{"x":2},"of_set":[2],"other":7,"stands_alone":true,"sub":{"x":1}}
package s

# A rule, or a package, in the place of a function is evaluated where that is called, under all that is replaced there.

f(_) := 1

g(x) := f(x)

h := input.a

nothing if input.none

members contains input.a

keyed[input.a] := input.b

default other := 7

other := input.b

sub.x := input.a

beside := x if x := f(1) with f as h with input as {"a": 2}

in_front := x if x := f(1) with input as {"a": 2} with f as h

of_builtin := x if x := count([1]) with input as {"a": 2} with count as h

inside := x if x := [y | y := f(1) with input as {"a": 3}] with f as h

each := [x | some v in [1, 2, 3]; x := g(1) with f as h with input as {"a": v}]

not_called if 1 == 1 with f as nothing

made := x if x := [y | y := f(1)] with f as nothing

of_set := x if x := f(1) with f as members with input as {"a": 2}

of_object := x if x := f(1) with f as keyed with input as {"a": "k", "b": 2}

of_default := x if x := f(1) with f as other with input as {"b": 2}

of_package := x if x := f(1) with f as data.s.sub with input as {"a": 2}

# What a call answers is not looked at where nobody asks for it.

no := false

stands_alone if f(1) with f as no

negated if not f(1) with f as no

negated_nothing if not f(1) with f as nothing
