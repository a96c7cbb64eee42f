# query: data.p.r
# explain: full
package p

a[x][y][z] := x + y + z if {
	some x in [1, 2]
	some y in [3, 4]
	some z in [5, 6]
}

r if {
	a[1][3][5] == 9
	a[1][3][6] == 10
	a[1][3][5] == 9
	a[2][_][5] == 10
	a[2][y][5] == 11
	count(a[1]) == 2
	count(a) == 2
	a[1][4][5]
}
