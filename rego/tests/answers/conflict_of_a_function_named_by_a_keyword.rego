# input: none
# error: "eval_conflict_error: function data.s[\"not\"][\"every\"].a[\"\\n\"].f[\"if\"] produced conflicting values for the same inputs:\n  1 at policy.rego:7\n  2 at policy.rego:9"
# place: 9:1

package s.not.every

a["\n"].f.if(x) := 1 if x

a["\n"].f.if(x) := 2 if x

y := a["\n"].f.if(true)
