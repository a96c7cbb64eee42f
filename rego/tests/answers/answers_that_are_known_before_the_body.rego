# input: none
# data: {"base": {"1": {"r": "eu"}, "2": {"r": "us"}}}
# data.s: {"a":true,"b":[[1],[2]],"c":true,"d":[1,2,"1"],"e":true,"f":[0],"g":[[],[1]],"i":[[1,3],[2,2],[3,3]],"l":[1,3]}
package s

# An answer that is asked for is known before the body: what that asks for in turn, what it leaves out, and what it finds in base documents.

ga(x) := 1 if x

else := 2

ha(x) := y if ga(x, y)

a if ha(1, 2)

gb(x) := 1 if x

else := 2

hb(x) := [x, y] if gb(x, y)

b := [p, [z | some z in [1, 2]; hb(z, [z, 2])]] if p := {z | hb(1, [1, z])}

gc(y) := 1 if y == 1

gc(y) := 2 if y == 1

gc(y) := 3 if y == 2

hc(_) := y if {
	some y in [1, 2]
	gc(y)
}

c if hc(0, 2)

hd(_) := y if data.base[y].r

d := [x | some x in [1, 2, "1"]; hd(x, x)]

he(_) := y if {
	some y in [0, 2]
	1 / y > 0
}

e if he(0, 2)

hf(x) := {"k": y, "l": [y, z]} if {
	some y, z in x
}

f := [v | v := [0, 1][_]; hf([5, 6], {"k": v, "l": [v, v + 5]})]

hg(_) := v if {
	data.base[v].r
	is_number(v)
}

g := [p, q] if {
	p := [v | v := hg(0)]
	q := [1 | hg(0, 2)]
}

hi(x) := y if hj(x, y)

else := 3

hj(x) := x if x > 1

hj(x) := 4 if x > 2

i := [[x, y] | some x in [1, 2, 3]; some y in [2, 3, 4]; hi(x, y)]

hl(x) := x if x > 1

else := y if y := x + 2

l := [x | some x in [1, 2, 3, 4]; hl(x, 3)]
