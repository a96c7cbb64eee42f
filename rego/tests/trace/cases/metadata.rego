# query: data.m.p
# explain: full
# METADATA
# title: here
package m

# METADATA
# title: rule
p := rego.metadata.rule().title
