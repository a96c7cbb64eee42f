# input: {}
# data: {"nums":{"1":true}}
# error: "eval_conflict_error: rule data.s.p produced conflicting values"
# place: 13:1
package s

# Nothing is found at "1.0"; but an answer for 1 is one for 1.0 as well: when the values are looked for again, the first one is not there.

f(x) := data.nums[x]

p := 1 if not f(1.0)

p := 2 if f(1)
