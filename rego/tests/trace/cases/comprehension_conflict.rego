# query: x := {k: v | some k in ["a"]; some v in [1, 2]}
# explain: full
package c
