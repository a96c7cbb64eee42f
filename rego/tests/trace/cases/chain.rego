# query: data.c.a
# explain: full fails
package c

a := b.x.y

b := {"x": c}

c["y"] := d

d contains e if e := {1, 2}[_]
