# input: {"g":"g"}
# error: "eval_conflict_error: rule data.s.x produced conflicting values:\n  0 at policy.rego:7\n  1 at policy.rego:7\n  2 at policy.rego:9\n  3 at policy.rego:11\n  4 at policy.rego:13\n  5 at policy.rego:15\n  6 at policy.rego:17\n  7 at policy.rego:19\n  8 at policy.rego:21\n  9 at policy.rego:23"
# place: 7:1

package s

x := i if some i in [0, 0, 1]

x := 2

x := 3

x := 4

x := 5

x := 6

x := 7

x := 8

x := 9

x := 0 if input.g
