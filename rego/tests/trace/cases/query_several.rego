# query: x := data.a.p; x > 1; y = [z | z := data.a.s[_]]
# explain: full debug
package a

p := 2

s contains 1

s contains x if x := p
