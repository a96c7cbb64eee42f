# query: data.s["a-b"].p; data.s["a-b"]["x y"]
# explain: full
package s["a-b"]

p if q["if"]

q["if"] := 1

q["x y"] := 2

q["with"].z := 3
