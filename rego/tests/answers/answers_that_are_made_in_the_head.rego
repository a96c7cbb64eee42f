# input: {"xs":[10],"names":["a","b"]}
# data.s: {"r1":true,"r10":true,"r13":true,"r14":true,"r15":3,"r3":true,"r4":true,"r5":true,"r6":true,"r7":true,"r8":true,"r9":true,"xs":[10,20]}

package s

# Answers that are asked for, of heads with references, comprehensions, calls and sets in them.

xs := [10, 20]

f1(x) := [input.xs[i]] if some i, _ in input.xs

f2(x) := [y | y := input.xs[i]] if { some i in [0, 1]; i == x }

f3(x) := {"k": xs[i], input.names[i]: x} if some i, _ in xs

f4(x) := input.xs[i] if some i, _ in input.xs

f5(x) := {input.xs[i] | x} if some i in [0]

f6(x) := sprintf("%v", [i]) if some i in [x]

f7(x) := i + 1 if some i in [x]

f8(x) := $"{i}" if some i in [x]

f9(x) := {[i, j] | some j in [i]} if some i in [x]

f10(x) := count([i | some i in [x]]) if { x }

f11(x) := {{i}: 1} if some i in [x]

f12(x) := {{i}} if some i in [x]

f13(x) := not_ if { not_ := x }

r1 if f1(0, [10])

r2 if f2(1, [20])

r3 if f3(0, {"k": 10, "a": 0})

r4 if f4(0, 10)

r5 if f5(true, {10})

r6 if f6(3, "3")

r7 if f7(3, 4)

r8 if f8(3, "3")

r9 if f9(3, {[3, 3]})

r10 if f10(3, 1)

r11 if { y := {{3}: 1}; f11(3, json.unmarshal("{}")) }

r16 if { some y in [input, {{3}: 1}]; f11(3, y) }

r12 if f12(3, {{3}})

r13 if f13(3, 3)

r14 if f13(3, f13(3))

r15 := y if { y := f13(3); f13(3, y) }
