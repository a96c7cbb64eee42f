# query: data.d.p; data.d.q; data.d.f(1)
# explain: full
package d

default p := 3

default q := false

q if input.x

default f(x) := true

f(x) if x == 2
