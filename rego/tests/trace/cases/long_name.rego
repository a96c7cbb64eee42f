# query: data.l.p
# file: very/long/path/to/some/folder/of/policies/that/nobody/would/read/policy.rego
# explain: full
package l

p if q

q := 1
