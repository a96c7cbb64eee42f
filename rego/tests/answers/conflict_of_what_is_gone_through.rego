# input: {"x": 1}
# error: "eval_conflict_error: rule data.s.listed produced conflicting values:\n  [1, 2] at policy.rego:15\n  [3, 4] at policy.rego:17"
# place: 17:1
package s

import rego.v1

# A rule that is gone through is in conflict though what follows has found enough.

found if {
	some x in listed
	x == 1
}

listed := [1, 2] if input.x

listed := [y | some y in [3, 4]] if input.x
