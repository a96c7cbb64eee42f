# query: count([1]); plus(1, 2, z); z == 3; {a | a := [3, 4][_]}
# explain: full debug
package q
