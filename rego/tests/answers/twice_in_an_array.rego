# input: {"p": 1}
# data.s: {"r":[1,1]}

package s

r := o if {
	q = input.p
	o = [q, q]
}
