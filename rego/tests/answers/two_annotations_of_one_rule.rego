# input: none
# data.s: {"p":[{"annotations":{"scope":"rule","title":"second"},"path":["s","p"]},{"annotations":{"scope":"rule","title":"first"},"path":["s","p"]}],"q":{"custom":{"n":1},"scope":"rule","title":"one"}}

package s

# METADATA
# title: first

# METADATA
# title: second
p := rego.metadata.chain()

# METADATA
# title: one
# custom:
#   n: 1

# METADATA
# description: two
q := rego.metadata.rule()
