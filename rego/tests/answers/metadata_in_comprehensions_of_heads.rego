# input: none
# data.s: {"beside":{"all":[["s","beside"],["s"]],"of":"beside"},"both":["both"],"e":["e"],"h":[[[1,"f"]],[2],[{}]],"inner":[["inner"]],"k":{"k":["k","s"]},"none":[{}],"o":{"scope":"rule","title":"o"},"p":["p"],"q":[["q"]]}

# METADATA
# scope: package
# title: the package
package s

import rego.v1

# METADATA
# title: p
p := [x | x := rego.metadata.rule().title]

# METADATA
# title: q
q contains [x | x := rego.metadata.rule().title]

# METADATA
# title: k
k[title] := {x | some x in rego.metadata.chain()[_].path} if title := rego.metadata.rule().title

# METADATA
# title: o
o := {x: y | some x, y in rego.metadata.rule()}

# METADATA
# title: f
f(x) := [[x, y] | y := rego.metadata.rule().title]

# METADATA
# title: g
g(x) := [y | y := count(rego.metadata.chain())] if x > 1

else := [y | y := rego.metadata.rule()]

h := [f(1), g(2), g(1)]

# METADATA
# title: inner
inner := [y | y := [x | x := rego.metadata.rule().title]]

# METADATA
# title: both
both := [x | x := rego.metadata.rule().title; x == "both"] if rego.metadata.rule().title == "both"

# METADATA
# title: beside
beside := {"of": rego.metadata.rule().title, "all": [link.path | some link in rego.metadata.chain()]}

none := [x | x := rego.metadata.rule()]

# METADATA
# title: e
e := [x | every x in rego.metadata.chain() { x.path[0] == "s" }; x := rego.metadata.rule().title]
