# query: data.b.a; not data.b.n; not data.b.e; data.b.w; data.b.s; data.b.z
# explain: debug
package b

a if startswith("abc", "ab")

n if startswith("abc", "x")

e if to_number(u) == 1

u := "x" if true

u := "x" if data.nope

w contains p if { walk({"a": [1, {"b": 2}]}, [p, q]); q == 2 }

v contains x if { walk([1, [2]], [_, x]); is_number(x) }

s := upper(concat("-", ["a", "b"]))

z := (5 - 1) * 3

t := numbers.range(1, 3)[_]
