# query: data.n
# input: {"x": 1}
# explain: full
# raw: true
package n

import rego.v2

a if {
	not {
		input.x == 2
		input.y
	}
}

b if input.x == 1 and input.x < 2

c if input.y or input.x == 1

d if not (input.x == 1 and input.y)
