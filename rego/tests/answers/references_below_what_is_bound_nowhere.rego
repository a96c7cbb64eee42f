# input: {"g":[[1],[0]],"a":{"b":{"n":"b"}},"n":{"b":"x"}}
# data: {"a":[[1,2],[3]],"g":[[5,6],[7]]}
# data.s: {"n":{"b":"x"},"negated":true,"of_rule":[],"q":[{"n":1},{"n":2}]}
package s

q := {{"n": 1}, {"n": 2}}

n[k] := v if some k, v in input.n

# OPA finds these safe before it puts references inside of references in front, where nothing binds their variables yet.
of_set if { q[i][i.n] }

of_input if { input.g[i][i[0]] = 1 }

of_data if { data.a[i[0]] = data.g[i][j] }

of_rule := [x | x := q[i][data.s.n[i.n]]]

compared if { z.q == n[z] }

nested if { y[0] == data.a[y][[z, x]] }

walked if { walk(x["a"], [x, z]) }

negated if not inner

inner if { q[i][i.n] }
