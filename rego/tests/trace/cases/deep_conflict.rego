# query: data.c.p
# explain: full
package c

p if q(1) == 2

q(x) := 1 if x > 0

q(x) := 2 if x < 5

q(x) := 3 if x < 1
