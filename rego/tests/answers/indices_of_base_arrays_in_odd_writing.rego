# input: none
# data: {"arr": [10, 11, 12], "obj": {"1": "one", "1.0": "one and nothing"}, "all": {"a": [10, 11], "b": {"1.0": "b"}, "c": {"1": "c"}}}
# data.s: {"found":{"+01.00":11,"+1":11,"-0":10,".":10,".0":10,"0":10,"01":11,"1":11,"1.":11,"1.0":11},"text_of_object":["one","one and nothing","one","one and nothing"],"through":[11,"b"],"written":[11,10,10]}
package s

import rego.v1

# A text is the index that OPA's storage reads in it.
found[text] := data.arr[text] if {
	some text in ["0", "1", "01", "+1", "1.0", "1.", "+01.00", "-0", ".", ".0", "-1", "1.5", "1e0", " 1", "", "+", "--1", "3", "00000000000000000001", "9223372036854775807", "9999999999999999999"]
}

written := [data.arr["1."], data.arr["."], data.arr["-0"]]

text_of_object := [data.obj[x] | some x in ["1", "1.0", 1, 1.0]]

through := [x | x := data.all[_]["1.0"]]
