# input: none
# data.s: {"a":{"scope":"rule","title":"a rule"},"b":[{"annotations":{"scope":"rule"},"path":["s","b"]},{"annotations":{"scope":"package"},"path":["s"]}]}

# METADATA
# scope: package
# compile: {unknowns: [input.x]}
package s

# METADATA
# title: a rule
# compile:
#   unknowns: [input.x, data.y]
#   mask_rule: data.x.y
a := rego.metadata.rule()

# METADATA
# compile: {mask_rule: mask}
b := rego.metadata.chain()
