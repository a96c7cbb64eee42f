# strict
# indexed
# input: {"k": "b", "n": "1"}
# data.s: {"read":1,"s":[true,true,true]}

package s

# What would fail stands in front of what the index excludes.
f(x) if {
	to_number(x) > 0
	input.k == "a"
}

f(_) if input.k == "b"

g(_) if {
	read == "a"
	input.k == "a"
}

g(_) if input.k == "b"

h(x) if {
	not read
	input.k == "a"
}

h(_) if input.k == "b"

read := json.unmarshal(input.n)

s := found if found := [f(input.n), g(1), h(1)] with input.n as "no number"
