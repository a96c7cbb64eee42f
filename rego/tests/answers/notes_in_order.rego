# input: {"xs": ["c", "a"]}
# data.s: {"known":true,"later":true,"seen":["a","c"]}
# notes: ["first","second: c","second: a","third","last"]

# What `trace` says is heard in the order in which rules are evaluated.
package s

known if {
	trace("first")
	some x in input.xs
	trace(sprintf("second: %s", [x]))
	x == "a"
	trace("third")
}

later if trace("last")

seen contains x if some x in input.xs
