# input: {"a":1}
# data.s: {"depends":1,"each":true,"in_a_head":{"1":[1]},"inside_of_another":[[[1],["s"]]],"nested":[[[1]],[["s"]]],"numbers_and_text":[[1],["s"]],"objects":[{"1":"v"},{"v":1}],"text_in_front":[["s"],[1]],"two_heads":[1,"s"],"two_with":[[1],[{"k":1}]],"what_depends":[["t"],["s"]]}

package s

# A variable of a comprehension is its own, under `with` as well: its type says nothing of another one of its name.

numbers_and_text := [a, b] if {
	a := [x | x = 1 with input.a as 2]
	b := [x | x = "s"]
}

text_in_front := [a, b] if {
	a := [x | x = "s" with data.t as 2]
	b := [x | x = 1 with input.a as 2]
}

two_with := [a, b] if {
	a := {x | x = 1 with input.a as 2 with data.t as 3}
	b := {x | x = {"k": 1}; x.k = 1}
}

objects := [a, b] if {
	a := {x: y | [x, y] = [1, "v"] with input.a as 2}
	b := {x: y | [x, y] = ["v", 1] with input.a as 2}
}

nested := [a, b] if {
	a := [x | x = [y | y = 1 with input.a as 2] with data.t as 3]
	b := [x | x = [y | y = "s" with data.t as 3]; x == ["s"]]
}

inside_of_another := [a | a = [[x | x = 1 with input.a as 2], [x | x = "s" with input.a as 2]] with input.b as 3]

what_depends := [a, b] if {
	a := [x | x = depends with input.a as "t"]
	b := [x | x = "s" with input.a as 1; x == "s"]
}

depends := input.a

two_heads contains x if x = 1 with input.a as 2

two_heads contains x if x = "s" with input.a as 2

each if {
	every v in [1] {
		x = v with input.a as 2
		x == 1
	}
	every v in ["t"] {
		x = v with data.t as 2
		x == "t"
	}
}

in_a_head[k] := [x | x = 1 with input.a as 2] if {
	k := count([x | x = "s" with data.t as 1])
}
