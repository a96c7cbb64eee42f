# input: {"as": [1, 2], "pairs": {"p": [1, 1], "q": [1, 2], "r": [2, 1]}}
# data.s: {"p":[[1,[1,2],[["p","q"]]],[2,[1,2],[["r"]]]]}

package s

# A comprehension is not looked up by a variable of a comprehension in front, which has no value here.

p contains [k, l, m] if {
	some k in [1, 2]
	l := [c | x = input.as[_]; c := x]
	m := [c | c := {y | input.pairs[y] = [k, x]}]
}
