package demo

import (
	"fmt"
	"slices"
	"strings"
)

// blueprint is an organization as it is to be built: its places and people, in its own language.
type blueprint struct {
	name          string
	plan          string
	addOnsAtFirst []string // while the data is written
	addOns        []string // afterwards
	administrator person
	prefix        string // of external ids: "RC"
	french        bool
	city          string
	province      string
	postalPrefix  string // "J4L": the first half of the town's postal codes
	areaCode      string
	latitude      float64
	longitude     float64
	locale        string
	timeZone      string  // of the organization and its people
	fiscalYearEnd int     // the month; 0: December
	landAreaKM2   float64 // 0: not known
	density       float64 // how closely the assets were surveyed; 1 is usual
	people        []person
	sites         []site
	lines         func(*generator) lines // its linear assets; nil where it has none
	areas         []area                 // its levels of service
	funds         []fund                 // what it renews its assets with; of those that plan
}

type person struct {
	name, email, role, title, department string
}

// site is a place with its buildings.
type site struct {
	name      string
	siteType  string
	ward      string
	address   string
	landArea  int // m²
	buildings []building
}

type building struct {
	name string // as people call it; unique within the site
	kind string // of buildingKinds
	area int    // m², 0: the usual size of its kind
	year int    // 0: some year
}

// has says whether the organization's plan includes a feature, or an add-on of that name that it keeps.
func (b blueprint) has(feature string) bool {
	return b.plan == "enterprise" || b.plan == "professional" && feature == "projects" || slices.Contains(b.addOns, feature)
}

func blueprints() []blueprint {
	return []blueprint{riviereClaire(), northgate(), harbour(), elmStreet()}
}

// plain is an address part made from a name: "Élise Côté" → "elise.cote".
func plain(name string) string {
	replacer := strings.NewReplacer("é", "e", "è", "e", "ê", "e", "ë", "e", "É", "e", "È", "e", "à", "a", "â", "a", "ç", "c", "ô", "o",
		"î", "i", "ï", "i", "û", "u", "ù", "u", "ü", "u", "'", "", "’", "", " ", ".", "-", "-")
	return strings.ToLower(replacer.Replace(name))
}

// staff makes people of one department from names.
func staff(domain, department, role, title string, names ...string) []person {
	var all []person
	for _, name := range names {
		all = append(all, person{name: name, email: plain(name) + "@" + domain, role: role, title: title, department: department})
	}
	return all
}

// alike makes several sites of one kind from "name|address|ward" lines, each with the buildings that kind has.
func alike(siteType string, landArea int, buildings []building, lines ...string) []site {
	var all []site
	for i, line := range lines {
		parts := strings.Split(line, "|")
		if len(parts) != 3 {
			panic(fmt.Sprintf("demo: %q is not name|address|ward", line))
		}
		all = append(all, site{
			name: parts[0], address: parts[1], ward: parts[2], siteType: siteType,
			landArea: landArea * (85 + (i*7)%31) / 100, buildings: buildings,
		})
	}
	return all
}
