# input: none
# data.s: {"answers":[["a"],["b"],[],["b"],["a"],["x"],["y"],["y"]]}

package s

# Definitions are looked up by what is in a collection: in a set, as `with` may put it there, too.

held := "a" if "a" in input.xs

held := "b" if "b" in input.xs

begun := "x" if strings.any_prefix_match(input.xs, "x")

begun := "y" if strings.any_prefix_match(input.xs, "y")

answers := [
	[x | x := held with input.xs as {"a", "c"}],
	[x | x := held with input.xs as {"c", "b"}],
	[x | x := held with input.xs as {"c"}],
	[x | x := held with input.xs as ["b"]],
	[x | x := held with input.xs as {"k": "a"}],
	[x | x := begun with input.xs as {"xa", "z"}],
	[x | x := begun with input.xs as {"ya"}],
	[x | x := begun with input.xs as ["ya"]],
]
