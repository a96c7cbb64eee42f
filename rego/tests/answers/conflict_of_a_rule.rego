# input: {"g": ["x", 1, "x", {"a": "a long text that does not fit into a message of that many characters, and so is cut"}]}
# error: "eval_conflict_error: rule data.s.x produced conflicting values:\n  \"x\" at policy.rego:6\n  1 at policy.rego:6\n  3 at policy.rego:8"

package s

x := input.g[_]

x := 3 if input.g
