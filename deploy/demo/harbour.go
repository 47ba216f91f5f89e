package demo

import "slices"

// harbour is a property owner with flats, offices and warehouses in Halifax. Its plan has neither API access nor accounting;
// add-ons do. Its fiscal year ends in March.
func harbour() blueprint {
	const domain = "harbour-properties.example"
	return blueprint{
		name: "Harbour Properties", plan: "professional",
		addOnsAtFirst: []string{"accounting", "api_keys"}, addOns: []string{"accounting", "api_keys"}, prefix: "HP",
		administrator: person{name: "Catherine MacLeod", email: "catherine.macleod@" + domain},
		city:          "Halifax", province: "NS", postalPrefix: "B3J", areaCode: "902", latitude: 44.6476, longitude: -63.5728,
		locale: "en-CA", timeZone: "America/Halifax", fiscalYearEnd: 3, density: 0.45,
		people: slices.Concat(
			staff(domain, "Property Management", "manager", "Property Manager", "Andrew Boutilier", "Grace Nakamura"),
			staff(domain, "Building Operations", "technician", "Building Operator", "Colin Arsenault", "Shauna Doyle", "Miguel Alvarez"),
			staff(domain, "Finance", "viewer", "Controller", "Heather Comeau"),
			staff(domain, "Leasing", "requester", "Leasing Agent", "Emily Zwicker", "Omar Khalil"),
		),
		sites: slices.Concat(
			alike("housing", 7400, []building{{"Apartment tower", "housing", 9600, 0}, {"Parkade", "parking", 3600, 0}},
				"Bishop's Landing Apartments|1475 Lower Water Street|Downtown", "Spring Garden Towers|5770 Spring Garden Road|South End",
				"Fairview Heights|68 Titus Street|Fairview"),
			alike("housing", 5200, []building{{"Apartment building", "housing", 4200, 0}},
				"Almon Court|6080 Almon Street|North End", "Quinpool Manor|6389 Quinpool Road|West End",
				"Brunswick Terrace|2085 Brunswick Street|North End"),
			alike("office", 4600, []building{{"Office building", "administration", 5400, 0}},
				"Barrington Exchange|1741 Barrington Street|Downtown", "Hollis Street Offices|1668 Hollis Street|Downtown"),
			alike("other", 18500, []building{{"Warehouse", "warehouse", 6200, 0}, {"Service building", "works_garage", 420, 0}},
				"Burnside Distribution Centre|120 Ilsley Avenue|Dartmouth", "Bayers Lake Storage|81 Chain Lake Drive|Bayers Lake"),
		),
	}
}

// elmStreet is a small co-operative that once had the add-on, made its keys and data, and gave the add-on up:
// its keys are there and are refused.
func elmStreet() blueprint {
	const domain = "elm-street-coop.example"
	return blueprint{
		name: "Elm Street Housing Co-op", plan: "essentials", addOnsAtFirst: []string{"api_keys"}, addOns: []string{}, prefix: "ELM",
		administrator: person{name: "Dorothy Hamilton", email: "dorothy.hamilton@" + domain},
		city:          "Winnipeg", province: "MB", postalPrefix: "R3G", areaCode: "204", latitude: 49.8880, longitude: -97.1700,
		locale: "en-CA", timeZone: "America/Winnipeg", density: 1,
		people: slices.Concat(
			staff(domain, "Board", "manager", "Maintenance Coordinator", "Frank Wiebe"),
			staff(domain, "Board", "viewer", "Treasurer", "Rosa Santos"),
			staff(domain, "Members", "requester", "Member", "Bill Friesen", "Tanya Spence"),
		),
		sites: []site{
			{"Elm Street", "housing", "West End", "611 Elm Street", 9300,
				[]building{{"Block A", "housing", 1450, 1978}, {"Block B", "housing", 1450, 1978}, {"Block C", "housing", 1800, 1981},
					{"Common house", "community_centre", 420, 1981}}},
			{"Sherburn Court", "housing", "West End", "802 Sherburn Street", 4100, []building{{"Townhouses", "housing", 2100, 1994}}},
		},
	}
}
