package app

who := input

sum := input.n + 1

members contains m if some m in data.list

deep[x] := y if y := data.o.k[x]

system := "x"
