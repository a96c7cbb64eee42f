# input: none
# data: {"base":{"a":{"1":"one"},"1":{"a":"one"}}}
# data.s: {"answers":{"first":["one"],"last":["one"]},"p":{"1":{"a":"one"},"a":{"1":"one"}},"q":{"1":{"a":"one"},"a":{"1":"one"}}}

package s

# Base documents have keys by their text: where a number finds nothing beside a text, an equal one that is written otherwise may.

p[x][y] := v if v := data.base[x][y]

q[x][y] := v if {
	v := data.base[y][x]
	is_string(v)
}

answers := {
	"first": [v | some k in [1.0, 1]; v := p.a[k]],
	"last": [v | some k in [1.0, 1]; v := q[k].a],
}
