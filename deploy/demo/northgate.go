package demo

import "slices"

// northgate is a public school board of 46 schools in southern Ontario.
func northgate() blueprint {
	const domain = "northgate-schools.example"
	elementary := []building{{"Main building", "school", 4600, 0}, {"Portables", "other", 520, 2008}, {"Storage building", "warehouse", 90, 0}}
	older := []building{{"Main building", "school", 3900, 0}, {"1974 addition", "school", 1250, 1974}}
	withCare := []building{{"Main building", "school", 5100, 0}, {"Child care centre", "child_care", 480, 2016}}
	secondary := []building{{"Main building", "school", 14800, 0}, {"Technology wing", "school", 3200, 0},
		{"Gymnasium", "community_centre", 1900, 0}, {"Field house", "other", 340, 0}}
	return blueprint{
		name: "Northgate District School Board", plan: "enterprise", addOnsAtFirst: []string{}, addOns: []string{}, prefix: "NDSB",
		administrator: person{name: "Margaret O'Donnell", email: "margaret.odonnell@" + domain},
		city:          "Northgate", province: "ON", postalPrefix: "L4N", areaCode: "705", latitude: 44.3894, longitude: -79.6903,
		locale: "en-CA", timeZone: "America/Toronto", fiscalYearEnd: 8, density: 0.65, lines: campuses, areas: boardAreas,
		funds: []fund{{"condition", "provincial_grant", 1_700_000, 2, false, nil}, {"renewal", "provincial_grant", 550_000, 0, false, nil},
			{"reserve", "reserve", 150_000, 0, true, nil}},
		people: slices.Concat(
			staff(domain, "Facilities", "manager", "Superintendent of Facilities", "David Okafor"),
			staff(domain, "Facilities", "manager", "Area Facilities Manager", "Sarah McKenzie", "Raj Patel", "Linda Wong"),
			staff(domain, "Capital Planning", "manager", "Capital Planner", "Tom Kowalski"),
			staff(domain, "Maintenance", "technician", "HVAC Mechanic", "Jason Pereira", "Amanda Clarke", "Wei Zhang", "Tyler Bouchard"),
			staff(domain, "Maintenance", "technician", "Electrician", "Brian Sutherland", "Fatima Hassan"),
			staff(domain, "Maintenance", "technician", "Plumber", "Kevin MacDonald", "Natalie Ross"),
			staff(domain, "Maintenance", "technician", "Carpenter", "Greg Ivanov"),
			staff(domain, "Business Services", "viewer", "Financial Analyst", "Priya Sharma", "Daniel Cohen"),
			staff(domain, "Schools", "requester", "Principal", "Jennifer Adams", "Robert Chen", "Michelle Beaulieu", "Aisha Mohamed",
				"Peter Van Dijk", "Susan Whiteduck", "Laura Bianchi", "Mark Stewart"),
			staff(domain, "Schools", "requester", "Head Custodian", "Joe Santos", "Carol Fraser", "Ivan Petrov"),
		),
		sites: slices.Concat(
			[]site{
				{"Education Centre", "office", "Central", "200 Dunlop Street West", 16000,
					[]building{{"Education Centre", "administration", 7800, 1990}, {"Professional Development Annex", "administration", 1400, 2006}}},
				{"Board Works Yard", "works_yard", "Central", "61 Ferndale Drive South", 21000,
					[]building{{"Maintenance shop", "works_garage", 2400, 1981}, {"Stores", "warehouse", 3100, 1981},
						{"Grounds garage", "works_garage", 700, 1998}}},
				{"Outdoor Education Centre", "campus", "Rural", "1844 Sideroad 10", 410000,
					[]building{{"Lodge", "community_centre", 1300, 1976}, {"Teaching barn", "other", 600, 1989}}},
			},
			alike("school", 28000, elementary,
				"Maple Ridge Public School|45 Maple Ridge Road|North", "Hillcrest Public School|180 Toronto Street|Central",
				"Lakeview Public School|33 Shoreline Drive|Lakeshore", "Cedar Grove Public School|710 Big Bay Point Road|South",
				"Sunnybrook Public School|20 Sunnybrook Crescent|North", "Willow Landing Public School|15 McVeigh Drive|Lakeshore",
				"Pine Grove Public School|9 Pinegrove Avenue|Rural", "Assiginack Public School|251 Letitia Street|Central",
				"Trillium Woods Public School|20 Elmbrook Drive|South", "Mapleview Heights Public School|124 Madelaine Drive|South",
				"Andrew Hunter Public School|59 Cundles Road|North", "Emma King Public School|383 Cundles Road West|North"),
			alike("school", 24000, older,
				"Oakley Park Public School|22 Davidson Street|Central", "Steele Street Public School|36 Steele Street|Central",
				"Codrington Public School|217 Codrington Street|Lakeshore", "Johnson Street Public School|105 Johnson Street|Lakeshore",
				"Portage View Public School|124 Letitia Street|Central", "Minesing Central Public School|7 Huron Street|Rural",
				"Shanty Bay Public School|1871 Ridge Road West|Rural", "Guthrie Public School|22 Line 5 North|Rural",
				"Forest Hill Public School|20 Doran Road|Rural", "Angus Morrison Public School|15 Mancini Road|Rural",
				"W.R. Best Memorial Public School|2221 Old Barrie Road|Rural", "Warnica Public School|211 Warnica Road|South"),
			alike("school", 30000, withCare,
				"Allandale Heights Public School|125 Milburn Street|Central", "Algonquin Ridge Public School|191 Golden Meadow Road|South",
				"Ferndale Woods Public School|170 Ferndale Drive South|Central", "Hewitt's Creek Public School|439 Big Bay Point Road|South",
				"Hyde Park Public School|66 Sandringham Drive|South", "Saint's Landing Public School|8 Lakeside Terrace|Lakeshore",
				"Cundles Heights Public School|60 Cundles Road East|North", "Terry Fox Elementary School|100 Livingstone Street|North"),
			alike("school", 62000, secondary,
				"Barrington North Collegiate|110 Grove Street East|North", "Innisdale Heights Secondary School|95 Little Avenue|South",
				"Lakeshore Collegiate|421 Grove Street East|Lakeshore", "Bear Creek Secondary School|100 Red Oak Drive|Central",
				"Eastview Heights Secondary School|300 Blake Street|Lakeshore", "Nottawasaga Valley Secondary School|8505 County Road 10|Rural"),
		),
	}
}
