# input: none
# data: {"base": {"1": {"r": "eu"}, "2": {"r": "us"}}}
# data.s: {"a":[[["1","2"],[2]]],"b":[[["2"],[2]]],"c":[["1","2"],[[2]],["1","2"]],"c1":["1","2"],"c2":[[2]],"d":[[[],5]],"e":[[[],2]],"f":[[["1","2"],[1,2],["1","2"]]],"g":[[["1"],["2"]],["1","2"],[]],"ta":[["1"],["2"]],"tb":{"eu":[["1"]],"us":[["2"]]},"tc":[["1"],["2"]],"td":{"1":5,"2":5},"te":["1","2"],"tf":[["1",1],["1",2],["2",1],["2",2]],"tg":[["1"],["2"]]}
package s

# What a pattern finds is not known for others: numbers, which base documents have as text, are asked for again.

ta contains [n] if data.base[n].r

a := [x | y := [v | ta[[v]]]; x := [y, ta[[2]]]]

tb[r] contains [n] if r := data.base[n].r

b := [x | y := [v | tb.us[[v]]]; x := [y, tb.us[[2]]]]

tc contains [n] if data.base[n].r

c1 := [v | tc[[v]]]

c2 := [x | x := tc[[2]]]

c := [c1, c2, [v | tc[[v]]]]

td[n] := 5 if data.base[n].r

d := [x | y := [1 | td[[w, {"k": "eu"}]]]; x := [y, td[2]]]

te contains n if data.base[n].r

e := [x | y := [1 | te[[w, {"k": "eu"}]]]; x := [y, te[2]]]

tf contains [n, m] if {
	data.base[n].r
	some m in [1, 2]
}

f := [x | y := [v | tf[[v, 1]]]; z := [v | tf[["1", v]]]; x := [y, z, [v | tf[[v, 2]]]]]

tg contains [n] if data.base[n].r

g := [tg, [v | tg[[v]]], [x | x := tg[[2]]]]
