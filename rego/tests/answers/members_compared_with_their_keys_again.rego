# input: {"m":{"a":"a","b":"h","c":"c","d":"h","e":"h","f":"x","g":"g","h":"z"}}
# data.s: {"own":[[1,"a"],[1,"c"],[1,"g"],[2,"a"],[2,"c"],[2,"g"],[3,"a"],[3,"c"],[3,"g"],[4,"a"],[4,"c"],[4,"g"]],"parts":[[1,"a"],[1,"c"],[1,"g"],[2,"a"],[2,"c"],[2,"g"],[3,"a"],[3,"c"],[3,"g"],[4,"a"],[4,"c"],[4,"g"]],"turned":[[1,"a"],[1,"c"],[1,"g"],[2,"a"],[2,"c"],[2,"g"],[3,"a"],[3,"c"],[3,"g"],[4,"a"],[4,"c"],[4,"g"]]}

package s

# A key is not known before its member: what it was the last time tells nothing, however often the members are gone through.

own contains [round, key] if {
	some round in [1, 2, 3, 4]
	some key, value in input.m
	value == key
}

turned contains [round, key] if {
	some round in [1, 2, 3, 4]
	some key, value in input.m
	key == value
}

parts contains [round, key] if {
	some round in [1, 2, 3, 4]
	some [key, _], value in {[k, 0]: v | some k, v in input.m}
	value == key
}
