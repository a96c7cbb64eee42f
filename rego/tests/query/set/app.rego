package app

import data.base as known

f(x) := x + 1

g(x, y) := {"x": x, "y": y}

none := data.nothing

list := [3, 1, 2]

numbers contains n if some n in list

names contains name if some name in ["b", "a", "c"]

sizes[name] := count(value) if some name, value in known

allow if input.user == "alice"

default level := 0

level := input.level

hello := "hello"

odd(x) if x % 2 == 1

pair contains [x, y] if {
	some x in numbers
	some y in numbers
	x < y
}

noted(x) := x if print("noted", x)

nested.deep.value := 7

greeting := $"{hello}, {input.user}"

broken := to_number("no number")

clash := 1 if input.clash

clash := 2 if input.clash
