# input: none
# error: "eval_conflict_error: rule data.s[\"not\"].p[\"a\"b\"][\"default\"] produced conflicting values:\n  1 at policy.rego:7\n  2 at policy.rego:9"
# place: 9:1

package s.not

p["a\"b"].default := 1

p["a\"b"].default := 2 if true

x := p["a\"b"].default
