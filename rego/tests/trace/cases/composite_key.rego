# query: data.k
# explain: full
package k

s contains [1, x] if x := {"a": 2}

p if s[[1, {"a": 2}]]

q := {y | s[[1, y]]}

o[[1, 2]] := 3

r := o[[1, 2]]
