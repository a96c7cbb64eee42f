# input: none
# data.s: {"p":[{"annotations":{"scope":"rule","title":"one definition of p"},"path":["s","p"]},{"annotations":{"custom":{"a":1},"scope":"document","title":"all definitions of p"},"path":["s","p"]},{"annotations":{"scope":"subpackages","title":"this package and those below it"},"path":["s"]}],"q":[{"path":["s","q"]},{"annotations":{"scope":"subpackages","title":"this package and those below it"},"path":["s"]}],"r":{},"t":{"description":"of a rule","scope":"rule"}}

# METADATA
# scope: subpackages
# title: this package and those below it
package s

# METADATA
# scope: document
# title: all definitions of p
# custom:
#   a: 1

# METADATA
# title: one definition of p
p := rego.metadata.chain() if true

q := rego.metadata.chain()

r := rego.metadata.rule()

# METADATA
# description: of a rule
t := rego.metadata.rule()
