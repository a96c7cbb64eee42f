# input: {"roles": ["a", "b"]}
# data.s: {"a_pattern":["a","b"],"a_pattern_again":[1,2],"b_first":true,"c_object":["a","b"],"d_second":true,"e_below":["a"],"f_third":true,"f_variable":[["a",1],["a",2],["b",1],["b",2]],"many_lists":{"a":[["a",1]],"b":[["b",1]]},"many_pairs":[["a",1],["a",2],["b",1],["b",2]],"many_sizes":{"[\"a\",1]":"a","[\"b\",1]":"b"}}
# labels: [{"id":"by a pattern"},{"id":"by a pattern again"},{"id":"first"},{"id":"an object"},{"id":"second"},{"id":"below a key"},{"id":"third"},{"id":"pairs"},{"id":"other pairs"},{"id":"each of them"},{"id":"lists"},{"id":"sizes"}]
package s

import rego.v1

# What is asked for by a pattern tells nothing, though all of its rules may have such members.

# METADATA
# labels:
#   id: by a pattern
a_pattern contains x if many_pairs[[x, n]]

# METADATA
# labels:
#   id: by a pattern again
a_pattern_again contains n if many_pairs[[x, n]]

# METADATA
# labels:
#   id: first
b_first := true

# METADATA
# labels:
#   id: an object
c_object contains v if v := many_sizes[[x, 1]]

# METADATA
# labels:
#   id: second
d_second := true

# METADATA
# labels:
#   id: below a key
e_below contains x if many_lists.a[[x, n]]

# METADATA
# labels:
#   id: third
f_third := true

# METADATA
# labels:
#   id: each of them
f_variable contains p if some p in many_pairs

# METADATA
# labels:
#   id: pairs
many_pairs contains [x, 1] if some x in input.roles

# METADATA
# labels:
#   id: other pairs
many_pairs contains [x, 2] if some x in input.roles

# METADATA
# labels:
#   id: sizes
many_sizes[[x, count(x)]] := x if some x in input.roles

# METADATA
# labels:
#   id: lists
many_lists[x] contains [x, 1] if some x in input.roles
