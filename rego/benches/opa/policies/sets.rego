package sets

by_team[team] contains service.name if {
	some service in data.services
	team := service.team
}

sizes := {team: count(names) | some team, names in by_team}

largest := [team | some team, size in sizes; size == max([s | some s in sizes])]

tiers := {tier: names |
	some tier in {service.tier | some service in data.services}
	names := {service.name | some service in data.services; service.tier == tier}
}

used := {dependency | some service in data.services; some dependency in service.uses}

all_names := {service.name | some service in data.services}

unused := all_names - used

unknown := used - all_names

both contains name if {
	some name in tiers.gold & used
	not name in unknown
}

ports := {service.name: port |
	some service in data.services
	some port in service.ports
	port > input.minimum
	port < input.minimum + 100
}

cost := sum([cost | some service in data.services; cost := service.replicas * data.prices[service.tier]])

violations contains {"service": service.name, "uses": dependency} if {
	service := data.services[_]
	some dependency in service.uses
	dependency in unknown
}

calm if every size in sizes { size < 1000 }
