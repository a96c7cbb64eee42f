package text

parsed contains line if {
	some raw in input.lines
	parts := split(raw, " ")
	count(parts) >= 4
	line := {"time": parts[0], "level": lower(parts[1]), "host": trim_suffix(parts[2], ":"), "message": concat(" ", array.slice(parts, 3, count(parts)))}
}

errors contains text if {
	some line in parsed
	line.level == "error"
	text := sprintf("%s on %s: %s", [line.time, upper(line.host), line.message])
}

addresses contains address if {
	some line in parsed
	some address in regex.find_n(`\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}`, line.message, -1)
}

outside contains address if {
	some address in addresses
	not startswith(address, "10.")
	not regex.match(`^192\.168\.`, address)
}

users contains user if {
	some line in parsed
	regex.match(`user=[a-z]+`, line.message)
	user := replace(regex.find_n(`user=[a-z]+`, line.message, 1)[0], "user=", "")
}

report := concat("\n", [text |
	some host, count in hosts
	text := sprintf("%-12s %4d", [host, count])
])

hosts[host] := count(lines) if {
	some line in parsed
	host := line.host
	lines := [1 | some other in parsed; other.host == host]
}

codes contains code if {
	some line in parsed
	contains(line.message, "code ")
	[_, after] := split(line.message, "code ")
	code := to_number(split(after, " ")[0])
}
