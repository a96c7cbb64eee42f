# input: {"a":[1.00000000000000000000000000000000000000000000000000000000000000],"b":[1]}
# data: {"base":{"k":1,"l":2,"m":3}}
# data.s: {"below":3,"counted":1,"deep":{"a":{"b":5}},"deeper":{"a":{"b":5},"k":1,"l":2,"m":3},"distinct":1,"keyed":true,"matched":true,"nested":{"p":6,"z":5},"other":false,"part":{"k":1,"l":2,"m":3,"z":5},"same":true,"sets":true,"whole":{"z":5}}
package s

import rego.v1

whole := x if x := data.base with data.base as {} with data.base.z as 5

counted := x if x := count(data.base) with data.base as {} with data.base.z as 5

below := count(data.base) + 0 if data.base.z with data.base.z as 5

nested := x if x := part with data.base as {"p": 6}

part := x if x := data.base with data.base.z as 5

deep := x if x := deeper with data.base as {}

deeper := x if x := data.base with data.base.a.b as 5

same := input.a == input.b

other := input.a != input.b

matched if [1] = input.a

keyed := {input.a: 1} == {input.b: 1}

distinct := count({input.a, input.b})

sets := {input.a} == {input.b}
