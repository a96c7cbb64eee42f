# query: data.e.p
# explain: full debug
package e

p if {
	every row in [[1, 2], [3]] {
		every cell in row { cell < 4; not cell == 9 }
	}
	every k, _ in {"a": 1} { k == "a" }
	not bad
}

bad if every x in {1, 2} { every y in {1, 2} { x == y } }
