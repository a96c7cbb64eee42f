# query: data.a
# input: {"users":[{"name":"al"},{"name":"bob"}]}
# explain: full notes fails
# profile: true
package a

default allow := false

allow if {
	some i
	x := input.users[i]
	x.name == "bob"
	trace(sprintf("hi %v", [x]))
	not deny
}

deny if input.bad

s contains y if { some y in [1, 2, 2] }

o[k] := v if { some k, v in {"a": 1} }

f(x) := y if { y := x + 1 }

e if { every k, v in [1, 2] { f(v) > k } }

c := {z | some z in s; z > 1}
