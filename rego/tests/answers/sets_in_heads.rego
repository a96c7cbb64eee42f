# input: none
# data.s: {"a":[{"k":[2]}],"b":true,"m":true,"o":{"[3]":3},"p":3,"q":true,"r":[[1,2]]}

package s

r contains {v, 1} if v := 2

q if r[{1, 2}]

m if {1, 2} in r

o[{v}] := v if v := 3

p := o[{3}]

a contains {"k": {v}} if v := 2

b if a[{"k": {2}}]
