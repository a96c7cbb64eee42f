# input: {"roles": ["admin", "viewer"]}
# data.s: {"a_key":5,"a_role":[5,6],"b_key":[1,1],"b_keys":1,"b_member":true,"b_member_at":true,"c_pattern":[1],"c_variable":["admin","viewer"],"d_whole":[1],"many":["admin","viewer"],"many_deep":{"admin":{"admin":1,"viewer":1},"viewer":{"admin":1,"viewer":1}},"many_objects":{"admin":{"x":1},"viewer":{"x":1}},"many_pairs":[1,["admin",1],["viewer",1]],"many_sizes":{"admin":5,"viewer":6},"many_wholes":[1]}
# labels: [{"id":"at a key"},{"id":"at an unknown key"},{"id":"below a key"},{"id":"below keys"},{"id":"admin"},{"id":"each"},{"id":"a member"},{"id":"a member at a key"},{"id":"by a pattern"},{"id":"object"},{"id":"by a variable"},{"id":"wholes"},{"id":"whole"},{"id":"deep"},{"id":"pairs"},{"id":"one"},{"id":"sizes"}]
package s

import rego.v1

# What is gone through tells the labels of the rules that make it; what is asked for at a key, or by a pattern, does not.

# METADATA
# labels:
#   id: at a key
a_key := many_sizes.admin

# METADATA
# labels:
#   id: at an unknown key
a_role contains size if {
	some role in input.roles
	size := many_sizes[role]
}

# METADATA
# labels:
#   id: below keys
b_keys := many_deep.admin.viewer

# METADATA
# labels:
#   id: below a key
b_key := [x | some x in many_deep.admin]

# METADATA
# labels:
#   id: a member
b_member if "admin" in many

# METADATA
# labels:
#   id: a member at a key
b_member_at if many.admin

# METADATA
# labels:
#   id: by a pattern
c_pattern := [x | many_pairs[["admin", x]]]

# METADATA
# labels:
#   id: by a variable
c_variable := {x | some x, _ in many_objects}

# METADATA
# labels:
#   id: whole
d_whole := many_wholes

# METADATA
# labels:
#   id: admin
many contains "admin" if "admin" in input.roles

# METADATA
# labels:
#   id: each
many contains role if some role in input.roles

# METADATA
# labels:
#   id: deep
many_deep[x][y] := 1 if {
	some x in input.roles
	some y in input.roles
}

# METADATA
# labels:
#   id: object
many_objects[name].x := 1 if some name in input.roles

# METADATA
# labels:
#   id: none
many_objects.x.y := 1 if input.none

# METADATA
# labels:
#   id: pairs
many_pairs contains [x, 1] if some x in input.roles

# METADATA
# labels:
#   id: one
many_pairs contains 1 if input.roles

# METADATA
# labels:
#   id: sizes
many_sizes[name] := count(name) if some name in input.roles

# METADATA
# labels:
#   id: wholes
many_wholes contains 1 if input.roles
