# query: [1, 2][i] = x; y := x + i; not y == 1
# explain: full debug fails
package q
