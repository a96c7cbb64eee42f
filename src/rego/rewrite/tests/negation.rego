package n
c := input.c
g(x) := x
h(x) if x == input.zzz
fn(x, y) if x == y
r contains "input call" if not startswith(input.a, "t")
r contains "data call" if not startswith(data.zz.a, "t")
r contains "rule ref call" if not startswith(c.a, "t")
r contains "local call" if { some l in input.ls; not startswith(l.a, "t") }
r contains "local bracket" if { some l in input.ls; some k in input.ks; not startswith(l[k], "t") }
r contains "local eq" if { some l in input.ls; not l.a == "t" }
r contains "local neq" if { some l in input.ls; not l.a != "t" }
r contains "input eq" if not input.a == "t"
r contains "input unify" if not input.a = "t"
r contains "local unify" if { some l in input.ls; not l.a = "t" }
r contains "local gt" if { some l in input.ls; not l.a > 1 }
r contains "input gt" if not input.a > 1
r contains "in left" if { some l in input.ls; not "t" in l.a }
r contains "in right" if { some l in input.ls; not l.a in ["t"] }
r contains "input in" if not "t" in input.a
r contains "input in2" if not input.a in ["t"]
r contains "nested call" if { some l in input.ls; not startswith(lower(l.a), "t") }
r contains "nested input" if not startswith(lower(input.a), "t")
r contains "user fn local" if { some l in input.ls; not h(l.a) }
r contains "user fn input" if not h(input.a)
r contains "user fn data" if not h(data.zz.q)
r contains "user nested" if not h(g(input.a))
r contains "array arg local" if { some l in input.ls; not h([l.a]) }
r contains "array arg input" if not h([input.a])
r contains "obj arg local" if { some l in input.ls; not h({"x": l.a}) }
r contains "plain local" if { some l in input.ls; not l.a }
r contains "plain input" if not input.a
r contains "compr arg" if { some l in input.ls; not h([x | x := l.a]) }
r contains "count compr" if { some l in input.ls; not count([x | x := l.a; x.y]) == 0 }
r contains "object.get default" if { some l in input.ls; not object.get(l, "a", l.b) == 1 }
r contains "arith local" if { some l in input.ls; not l.a + 1 == 2 }
r contains "arith input" if not input.a + 1 == 2
r contains "call stmt undefined builtin" if not to_number(input.sx) == 1
r contains "call chain ref" if not json.unmarshal(input.js).a == 1
r contains "call ref arg" if not h(json.unmarshal(input.js).a)
r contains "index by call" if not input[lower(input.A)]
r contains "rule var" if not h(undef)
undef := 1 if input.nope
r contains "rule undef eq" if not undef == 1
r contains "set member ref" if { some l in input.ls; not {"t"}[l.a] }
r contains "ref index local" if { some l in input.ls; not input.q[l.a] }
r contains "with" if { not h(input.a) with input as {} }
r contains "negated call args two" if { some l in input.ls; not fn(l.a, l.a) }
r contains "eq composite" if { some l in input.ls; not [l.a] == [1] }
r contains "eq composite obj" if { some l in input.ls; not {"x": l.a} == {"x": 1} }
r contains "unify composite" if { some l in input.ls; not [l.a] = [1] }
r contains "top composite" if { some l in input.ls; not [l.a] }
r contains "eq call" if { some l in input.ls; not lower(l.a) == "x" }
r contains "eq call both" if { some l in input.ls; not "x" == lower(l.a) }
r contains "call in bracket" if { some l in input.ls; not input.q[lower(l.a)] }
r contains "paren" if { some l in input.ls; not startswith((l.a), "t") }
r contains "in compr" if { count([1 | some l in input.ls; not startswith(l.a, "t")]) == 1 }
r contains "in every" if { every l in input.ls { not startswith(l.a, "t") } }
r contains "multi line" if {
	some l in input.ls
	not startswith(
		l.a,
		"t",
	)
}
r contains "object.get def" if { some l in input.ls; not object.get(l, "a", "x") == "y" }
r contains "false arg" if { not h(input.f) }
r contains "set op" if { some l in input.ls; not {"a"} & l.a == set() }
r contains "intersect top" if { some l in input.ls; not count({"a"} & l.a) > 0 }
r contains "paren arith" if { some l in input.ls; not h((l.a) + 1) }
r contains "paren arith2" if { some l in input.ls; not h(1 + (l.a * 2)) }
