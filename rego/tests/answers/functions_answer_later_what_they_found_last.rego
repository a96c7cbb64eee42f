# input: {"xs":[1,10e-1,1.0],"ys":[{"a":2.0},{"a":2}],"t":true}
# data.s: {"once":1,"r1":[1,1,1],"r2":[1,1.0,1.0],"r3":[[{"a":2.0},{"a":2.0}],[{"a":2.0}]],"r4":[3.0,3.0],"r5":[10e-1],"r6":[1,1]}

package s

# Whoever calls a function first gets its first solution, whoever calls it later its last one: they are equal, but may be written otherwise.

by_first(x) := y if { some y in input.xs; y == x }

by_second(x) := y if { some y in input.xs; y == x } else := x

in_objects(x) := y if { some y in input.ys; y.a == x }

of_two(x) := 3.0 if x

of_two(x) := 3 if input.t

of_two(x) := 30e-1 if x == true

asked(x) := y if { some y in input.xs; y == x }

r1 := [by_first(1), by_first(1), by_first(1.0)]

r2 := [by_second(x) | some x in input.xs]

r3 := [[in_objects(2), in_objects(2.0)], [in_objects(2)]]

r4 := [of_two(input.t), of_two(input.t)]

r5 := [v | asked(1, 10e-1); v := asked(1)]

r6 := [v | some x in [1, 1.0]; v := once with input.t as x]

once := by_third(1)

by_third(x) := y if { some y in input.xs; y == x; input.t }
