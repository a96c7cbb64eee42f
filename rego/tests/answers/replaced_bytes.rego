# input: none
# data.s: {"counts":[0,2,3,0],"found":"612d62","longer":["b","ab","eae","abab"],"made":"é","put_in":"ff62fe"}

package s

# Patterns, and what is put in, may be bytes that are no UTF-8.

found := hex.encode(strings.replace_n({base64.decode("/w=="): "-"}, hex.decode("61ff62")))

put_in := hex.encode(strings.replace_n({"a": hex.decode("ff"), "c": hex.decode("fe")}, "abc"))

made := strings.replace_n({"a": hex.decode("c3"), "b": hex.decode("a9")}, "ab")

longer := [replace("b", "bbb", "x"), replace("aXbX", "X", ""), replace("éaé", "é", "e"), replace("abab", "ab", "ab")]

counts := [strings.count("b", "bbb"), strings.count("aaaa", "aa"), strings.count("é€", ""), strings.count("", "a")]
