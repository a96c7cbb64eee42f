# query: data.q.p[x] = y; y > 1
# explain: full fails
package q

p := {"a": 1, "b": 2, "c": 3}
