# query: data.i.p; data.i.q; data.i.r
# input: {"m": "GET", "u": "al", "tags": ["a", "b"]}
# explain: full
package i

p := 1 if input.m == "GET"

p := 2 if input.m == "POST"

p := 1 if input.u == "al"

q if input.m == "PUT"

q if { input.m == "GET"; input.u == "bo" }

q if "b" in input.tags

r contains 1 if input.m == "GET"

r contains 2 if input.m == "DELETE"

r contains 3
