# input: {"i":1,"list":[1,2],"two":2}
# data.s: {"a":true,"b":[2],"c":2,"d":[1,1],"e":true,"f":1,"g":true,"gm":1,"gn":1,"go":1,"gp":1,"h":1,"i":1,"j":[2],"k":true,"l":[1],"m":true,"n":2,"o":true,"p":[1,[1]],"r":[1],"t":1,"u":2,"v":true,"w":[1,3]}

package s

# An operand behind the others is what the answer has to be before anything is evaluated: definitions with other values do not hold, and
# what is found is the answer for whoever calls later. Each question has functions of its own.

a if ga(1, 2)

ga(x) := 1 if x

else := 2

b := [x | some x in [2, 1]; gb(1, x)]

gb(x) := 1 if x

else := 2

c := y if {
	gc(1, 2)
	y := gc(1)
}

gc(x) := 1 if x

else := 2

d := [y, z] if {
	y := gd(1)
	gd(1, z)
	not gd(1, 2)
}

gd(x) := 1 if x

else := 2

e if ge(1, 9)

default ge(_) := 9

ge(x) := 1 if x

f := x if {
	gf(0, 1)
	x := gf(0)
}

gf(_) := input.i

gf(_) if input.i

g if gg(3, 2)

gg(x) := x

gg(x) := 2 if x == 3

h := x if gh(1, [x, 2])

gh(x) := y if {
	x
	y := [x, 1]
}

else := y if y := [x, 2]

i := x if gi(1, [x, 2])

gi(x) := [x, 1] if x

else := [x, 2]

j := [v | some v in {"a": 2, "b": 1}; gj(1, v)]

gj(x) := 1 if x

else := 2

k if {
	every x in [2] { gk(1, x) }
}

gk(x) := 1 if x

else := 2

l := [x | some x in [2, 1]; not gl(1, x)]

gl(x) := 1 if x

else := 2

m if gm(2)

gm() := input.i if input.i

else := input.two

n := y if {
	gn(2)
	y := gn()
}

gn() := input.i if input.i

else := input.two

o if go(9)

default go() := 9

go() := input.i if input.i

p := [gp, [x | some x in [1, true]; gp(x)]] if not gp(3)

gp() := input.i if not input.none

gp() := input.i if input.i

r := [x | some x in input.list; x = gr(1)]

gr(x) := 1 if x

else := 2

t := x if {
	gt(1, {"k": x, "l": 2})
}

gt(x) := {"k": x, "l": 1} if x

else := {"k": x, "l": 2}

u := y if y := gu(1) with gu as hu

gu(x) := x

hu(x) := y if {
	ku(x, 2)
	y := ku(x)
}

ku(x) := 1 if x

else := 2

v if count([1], 2) with count as kv

kv(_) := 1 if input.i

else := 2

w := [y, x] if {
	gw(0, y)
	gw(1, x)
	gw(1, 3)
}

gw(x) := z if {
	some z in [x + 1, x + 2]
	z != 2
}
