# input: none
# data.s: {"b":1,"e":5,"p":{"a":{"b":1,"e":5,"z":6}},"z":true}

package s

p.a.b := v if some v in [1, 1]

p[k].c := v if {
	input.conflicts
	some k in ["a", "d"]
	some v in [1, 2]
}

p[k][l] := 6 if some k, l in {"a": "z"}

p[k].e := v if some k, v in {"a": 5}

b := x if x := p.a.b with input.conflicts as 1

e := x if x := p.a.e with input.conflicts as 1

z if {
	k := "z"
	p.a[k] == 6 with input.conflicts as 1
}

other_key if p.d.f with input.conflicts as 1
