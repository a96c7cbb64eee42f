# input: none
# data: {"base": {"k": {"l": 2, "m": {"y": 3}, "x": 4}, "other": [1]}}
# data.s: {"above":{"k":{"l":2,"m":{"y":3},"x":1},"other":[1]},"added":{"x":[1]},"again":{"k":{"l":2,"m":{"y":3,"z":2},"x":4},"other":[1]},"at":{"x":1},"between":[{"l":2,"m":{"x":1,"y":3},"x":4},{"x":1}],"computed":{"l":2,"m":{"x":1,"y":3},"x":4},"counted":1,"each":[{"l":2,"m":{"x":1,"y":3},"x":4},[1]],"from_function":{"l":2,"m":{"x":1,"y":3},"x":4},"from_rules":{"k":{"l":2,"m":{"y":3},"x":[1]},"other":[1]},"inner":{"k":{"l":2,"m":{"x":5,"y":3},"x":4},"other":[1]},"key":{"l":2,"m":{"x":1},"x":4},"no_object":{"k":[1],"other":[1]},"not_merged":{"k":{"l":2,"m":{"y":3},"x":4},"other":{"x":1}},"outer":[{"k":{"l":2,"m":{"x":5,"y":3},"x":4},"other":[1]},{"k":{"l":2,"m":{"y":3,"z":6},"x":4},"other":[1]}],"twice":{"k":{"l":{"z":2},"m":{"x":1,"y":3},"x":4},"other":[1]}}
package s

import rego.v1

# What is replaced is merged with what was there for whoever asks for what lies above it; at its own path, or below, it is alone.

above := x if x := data.base with data.base.k as {"x": 1}

at := x if x := data.base.k with data.base.k as {"x": 1}

below := x if x := data.base.k.l with data.base.k as {"x": 1}

between := x if x := [data.base.k, data.base.k.m] with data.base.k.m as {"x": 1}

counted := x if x := count(data.base.k) with data.base.k as {"x": 1}

each := x if x := [x | some x in data.base] with data.base.k.m as {"x": 1}

key := x if x := {k: x | some k, x in data.base.k} with data.base.k.m as {"x": 1}

not_merged := x if x := data.base with data.base.other as {"x": 1}

no_object := x if x := data.base with data.base.k as [1]

twice := x if x := data.base with data.base.k.m as {"x": 1} with data.base.k.l as {"z": 2}

again := x if x := data.base with data.base.k.m as {"x": 1} with data.base.k.m as {"z": 2}

inner := x if x := data.base with data.base.k.m as {"x": 5}

outer := x if x := [inner, data.base] with data.base.k.m as {"z": 6}

from_rules := x if x := data.base with data.base.k as added

added := {"x": data.base.other}

computed := x if x := data.base[input.key] with input.key as "k" with data.base.k.m as {"x": 1}

from_function := x if x := f("k") with data.base.k.m as {"x": 1}

f(key) := data.base[key]
