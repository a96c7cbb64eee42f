# query: not data.n.p with input.a as 1; data.n.p with input.a as 2
# explain: full
package n

p if input.a == 2
