# input: {"xs": [1], "ws": [1, 2]}
# data.s: {"p":[[[{"k":2}]]]}
# indexed
package s

p := v1 if {
	a = input.xs[_]
	v1 = [v2 |
		a = input.xs[_]
		b = input.xs[_]
		v2 = [v3 |
			b = input.xs[_]
			c = input.xs[_]
			v3 = [v4 |
				c = input.xs[_]
				d = input.xs[_]
				v4 = {k: w | d = input.xs[_]; k = "k"; w = input.ws[_]}
			]
		]
	]
}
