package other.rules

import data.app

deny contains msg if {
	some name in app.names
	msg := sprintf("not %s", [name])
}

twice(x) := x * 2

limit := 2
