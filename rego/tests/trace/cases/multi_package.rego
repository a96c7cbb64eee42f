# query: data.m.n.x
# explain: full
package m.n

import data.m.n as me

x := y + count(me.z)

y := 1 if me.z["a"]

z contains "a"
