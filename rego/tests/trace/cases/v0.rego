# query: data.old
# v0: true
# explain: full
package old

p[x] { x = q[_] }

q = [1, 2] { true }

r[k] = v { some k; v = q[k] }

s { p[1] } { p[3] }

default t = 5
