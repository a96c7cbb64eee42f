# query: data.s
# input: {}
# data: {"zz": ["x", "y"], "b": {"1": "m", "n": 5}}
# explain: full
package s

# In what is put in the place of base documents a text is no index, and a number no name.
kept := [v | some k in ["1", "01", 1]; v := data.zz[k]]

put := y if y := [v | some k in ["1", "01", 1]; v := data.zz[k]] with data.zz as [7, 8]

named := y if y := [v | some k in ["1", 1]; v := data.b[k]] with data.b as {"1": "t", 1: "n"}

beside := y if y := [v | some k in ["1", 1]; v := data.b[k]] with data.b.n as 6

whole := {1.0, 2}

member := [whole[1], whole[input.none]] if input.none

asked := whole[1]

p := 1 if data.b[1] == "m"

p := 2 if data.b[1] == "n"

index := [x, y] if {
	x := p with data.b as {1: "n"}
	y := p with data.b as {"1": "n", 1: "m"}
}
