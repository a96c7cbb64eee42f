# input: {"at": "10", "far": "123", "row": "11"}
# data.s: {"asked":["i10","i123",51,11],"below":12,"beside":"i10","deep":[11],"found":{"+11":"i11","0000000000000000123":"i123","010":"i10","0101":"i101","10":"i10","10.0":"i10","100":"i100","11":"i11","12.":"i12","123":"i123","19":"i19","9":"i9","99":"i99"},"known":["i10","i99","i100","i123"],"put":[],"replaced":["i10"],"through":[30,50],"through_all":["i10","ten"]}
# data: {"arr":["i0","i1","i2","i3","i4","i5","i6","i7","i8","i9","i10","i11","i12","i13","i14","i15","i16","i17","i18","i19","i20","i21","i22","i23","i24","i25","i26","i27","i28","i29","i30","i31","i32","i33","i34","i35","i36","i37","i38","i39","i40","i41","i42","i43","i44","i45","i46","i47","i48","i49","i50","i51","i52","i53","i54","i55","i56","i57","i58","i59","i60","i61","i62","i63","i64","i65","i66","i67","i68","i69","i70","i71","i72","i73","i74","i75","i76","i77","i78","i79","i80","i81","i82","i83","i84","i85","i86","i87","i88","i89","i90","i91","i92","i93","i94","i95","i96","i97","i98","i99","i100","i101","i102","i103","i104","i105","i106","i107","i108","i109","i110","i111","i112","i113","i114","i115","i116","i117","i118","i119","i120","i121","i122","i123"],"rows":[[20,21,22,23,24,25,26,27,28,29,30,31,32],[40,41,42,43,44,45,46,47,48,49,50,51],[1]],"obj":{"10":"ten","deep":[{"k":0},{"k":1},{"k":2},{"k":3},{"k":4},{"k":5},{"k":6},{"k":7},{"k":8},{"k":9},{"k":10},{"k":11},{"k":12}]}}
package s

import rego.v1

# Indices of several digits, as texts, in base documents: at known places, through members, and below them.

found[text] := data.arr[text] if {
	some text in ["9", "10", "11", "19", "010", "+11", "10.0", "12.", "99", "100", "0101", "-10", "123", "124", "0000000000000000123", "1234"]
}

known := [data.arr["10"], data.arr["99"], data.arr["100"], data.arr["123"]]

asked := [data.arr[input.at], data.arr[input.far], data.rows[1][input.row], data.obj.deep[input.row].k]

below := data.obj.deep["12"].k

through contains x if x := data.rows[_]["10"]

through_all contains x if x := data[_]["10"]

deep contains x if x := data.obj[_]["11"].k

none if data.arr["124"]

replaced := x if x := [y | y := data.arr[_]; y == "i10"] with data.obj as {"deep": []}

beside := x if x := data.arr["10"] with data.obj.deep as []

put contains x if x := data.arr["10"] with data.arr as numbers.range(0, 20)
