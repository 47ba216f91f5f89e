package demo

import (
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
)

// thisYear is the year the data set is written for; it stays the same so that the data does.
const thisYear = 2026

// records of one organization, in the order in which they can be written.
type dataset struct{ sites, buildings, systems, assets []record }

// generator makes one organization's records. Its chances come from the organization's name, so they never change.
type generator struct {
	blueprint
	random      *rand.Rand
	managers    []string // user ids
	technicians []string
	requesters  []person
	neglect     float64 // of the building that is being made
	data        dataset
	day         time.Time // of the writing
}

func (b blueprint) userRecords() []record {
	var all []record
	for i, p := range b.people {
		all = append(all, record{
			"external_id": fmt.Sprintf("%s-U-%03d", b.prefix, i+1), "email": p.email, "name": p.name, "role": p.role, "status": "active",
			"job_title": p.title, "department": p.department, "employee_number": fmt.Sprintf("%05d", 10200+17*i),
			"phone": fmt.Sprintf("+1 %s 555-%04d", b.areaCode, 100+7*i), "locale": b.locale, "time_zone": b.timeZone,
		})
	}
	return all
}

// generate makes everything but the users, whose ids it needs (in the order of userRecords).
func (b blueprint) generate(userIDs []string) dataset {
	seed := fnv.New64a()
	seed.Write([]byte(b.name))
	g := &generator{blueprint: b, random: rand.New(rand.NewPCG(seed.Sum64(), 1))}
	g.resolvePeople(userIDs)
	for i, site := range b.sites {
		g.site(i, site)
	}
	return g.data
}

func (b blueprint) text(french, english string) string {
	if b.french {
		return french
	}
	return english
}

func (g *generator) site(index int, s site) {
	id := fmt.Sprintf("%s-S-%03d", g.prefix, index+1)
	const letters = "ABCEGHJKLMNPRSTVWXYZ"
	r := record{
		"external_id": id, "name": s.name, "site_type": s.siteType, "status": "active", "ward": s.ward,
		"address_line1": s.address, "city": g.city, "province": g.province, "country": "CA",
		"postal_code": fmt.Sprintf("%s %d%c%d", g.postalPrefix, 1+g.random.IntN(9), letters[g.random.IntN(len(letters))], 1+g.random.IntN(9)),
		"latitude":    round(g.latitude+g.random.NormFloat64()*0.025, 6), "longitude": round(g.longitude+g.random.NormFloat64()*0.035, 6),
		"land_area_m2": s.landArea, "ownership": g.pick("owned", "owned", "owned", "owned", "owned", "joint_use", "leased"),
		"tags":          []string{plain(s.ward)},
		"custom_fields": record{g.text("secteur_entretien", "maintenance_area"): fmt.Sprintf("%c", 'A'+index%5)},
	}
	if len(g.managers) > 0 {
		r["manager_user_id"] = g.managers[index%len(g.managers)]
	}
	g.data.sites = append(g.data.sites, r)
	for i, b := range s.buildings {
		g.building(fmt.Sprintf("%s-%02d", strings.Replace(id, "-S-", "-B-", 1), i+1), id, b)
	}
}

func (g *generator) building(id, siteID string, b building) {
	kind := buildingKinds[b.kind]
	area := b.area
	if area == 0 {
		area = int(math.Round(float64(kind.area)*(0.75+g.random.Float64()*0.6)/10) * 10)
	}
	year := b.year
	if year == 0 {
		year = []int{1952, 1957, 1961, 1965, 1968, 1972, 1976, 1983, 1989, 1994, 2001, 2007, 2012, 2018, 2021}[g.random.IntN(15)] +
			g.random.IntN(4)
	}
	r := record{
		"external_id": id, "site_external_id": siteID, "name": b.name, "building_type": b.kind, "status": "active", "year_built": year,
		"gross_floor_area_m2": area, "floors_above_grade": kind.floors, "floors_below_grade": g.random.IntN(2),
		"expected_useful_life_years": kind.life, "criticality": kind.criticality, "ownership": "owned",
		"accessible": year > 1990 || g.random.IntN(3) == 0, "heritage_designated": year < 1940,
		"custom_fields": record{
			g.text("source_energie", "energy_source"): g.pick(g.text("gaz naturel", "natural gas"), g.text("gaz naturel", "natural gas"),
				g.text("électricité", "electricity")),
			g.text("compte_grand_livre", "gl_account"): fmt.Sprintf("61-%04d", 4000+g.random.IntN(900)),
		},
	}
	if kind.capacity > 0 {
		r["capacity"] = max(1, kind.capacity*area/1000)
	}
	if year < 1990 && g.random.IntN(2) == 0 {
		r["year_renovated"] = min(thisYear-1, year+24+g.random.IntN(16))
	}
	if g.random.IntN(10) < 2 { // appraised as a whole; the others are worth the sum of their parts
		r["replacement_cost"], r["replacement_cost_year"] = round(float64(area)*kind.costPerM2*(0.9+g.random.Float64()*0.2), -3),
			thisYear-1-g.random.IntN(3)
	}
	if area < 200 && g.random.IntN(12) == 0 {
		r["status"] = "closed"
	}
	if b.kind == "treatment" || b.kind == "pump_station" { // what others serve follows from their type
		r["service_category"] = "wastewater"
		if strings.Contains(b.name, "filtration") || strings.Contains(b.name, "réactifs") || strings.Contains(b.name, "haute pression") {
			r["service_category"] = "water"
		}
	}
	g.data.buildings = append(g.data.buildings, r)
	g.neglect = g.care()
	for i, name := range kind.systems {
		g.system(fmt.Sprintf("%s-%02d", strings.Replace(id, "-B-", "-Y-", 1), i+1), id, b, systemKinds[name], year, area)
	}
}

func (g *generator) system(id, buildingID string, b building, kind systemKind, built, area int) {
	installed := g.lastRenewal(built, kind.life)
	condition := g.condition(installed, kind.life)
	r := record{
		"external_id": id, "building_external_id": buildingID, "name": g.text(kind.french, kind.english), "uniformat_code": kind.code,
		"status": "in_service", "install_year": installed, "expected_useful_life_years": kind.life, "condition_rating": condition,
	}
	if kind.costPerM2 > 0 {
		g.money(r, round(float64(area)*kind.costPerM2*(0.85+g.random.Float64()*0.3), -2), installed, kind.life, condition)
	}
	g.data.systems = append(g.data.systems, r)
	number := 0
	for _, equipment := range kind.equipment {
		count := int(math.Round(equipment.per1000 * g.density * float64(area) / 1000 * (0.8 + g.random.Float64()*0.4)))
		if count == 0 && g.random.Float64() < equipment.per1000/3 {
			count = 1
		}
		for i := range min(count, equipment.maximum) {
			number++
			g.asset(fmt.Sprintf("%s-%03d", strings.Replace(id, "-Y-", "-A-", 1), number), id, b, equipment, built, i+1, area)
		}
	}
}

func (g *generator) asset(id, systemID string, b building, kind equipmentKind, built, number, area int) {
	installed := g.lastRenewal(built, kind.life)
	condition := g.condition(installed, kind.life)
	size := math.Min(1, math.Sqrt(float64(area)/9000)) // larger buildings have larger machines
	cost := round(kind.low+(kind.high-kind.low)*(0.7*size+0.3*g.random.Float64()), -2)
	if cost == 0 {
		cost = round(kind.low, -1)
	}
	maker, model, _ := strings.Cut(kind.makers[g.random.IntN(len(kind.makers))], "|")
	r := record{
		"external_id": id, "system_external_id": systemID, "name": fmt.Sprintf("%s %d", g.text(kind.french, kind.english), number),
		"uniformat_code": kind.code, "manufacturer": maker, "model": model, "status": g.status(),
		"serial_number": fmt.Sprintf("%s%02d-%06d", strings.ToUpper(maker[:2]), installed%100, g.random.IntN(1_000_000)),
		"barcode":       fmt.Sprintf("%s%07d", g.prefix, len(g.data.assets)+1), "location": g.location(b),
		"expected_useful_life_years": kind.life, "condition_rating": condition, "consequence_of_failure": g.consequence(b, kind),
	}
	if !g.french { // the others are numbered by the service
		r["asset_tag"] = fmt.Sprintf("%s-%06d", g.prefix, len(g.data.assets)+1)
	}
	g.money(r, cost, installed, kind.life, condition)
	g.installation(r, installed, cost)
	g.upkeep(r, kind, condition)
	if g.random.IntN(40) == 0 { // not every survey is complete
		delete(r, g.pick("condition_rating", "planned_renewal_year", "consequence_of_failure", "expected_useful_life_years"))
	}
	g.survey(r, installed)
	g.data.assets = append(g.data.assets, r)
	if kind.part != nil {
		g.part(id, r, kind)
	}
}

// survey is since when the condition is known, and how: most assets were looked at in one of the last years, of the rest it was reported.
// What is decommissioned no longer stands since last year.
func (g *generator) survey(r record, installed int) {
	n := len(g.data.assets)
	year := thisYear - 1 - n%4
	if _, rated := r["condition_rating"]; rated && n%5 > 0 && year > installed {
		r["condition_assessed_on"] = fmt.Sprintf("%d-%02d-%02d", year, 4+n%7, 1+n%28)
		r["condition_method"] = []string{"visual", "visual", "detailed", "age_based"}[n%4]
	}
	if r["status"] == "decommissioned" && installed < thisYear-1 {
		r["out_of_use_on"] = fmt.Sprintf("%d-%02d-%02d", thisYear-1, 1+n%12, 1+n%28)
	}
}

// installation is when and for how much, as the books have it.
func (g *generator) installation(r record, installed int, cost float64) {
	date := fmt.Sprintf("%d-%02d-%02d", installed, 1+g.random.IntN(9), 1+g.random.IntN(28))
	if installed < 2000 || g.random.IntN(5) == 0 { // of old things only the year is known
		r["install_year"] = installed
	} else {
		r["install_date"] = date
	}
	if cost >= 10000 && installed >= 1995 { // capitalized
		paid := round(cost*math.Pow(1.029, float64(installed-thisYear)), 2)
		r["acquisition_cost"], r["acquisition_date"], r["residual_value"], r["amortization_method"] = paid, date, 0, "straight_line"
	}
	if installed >= thisYear-4 {
		r["warranty_expires_on"] = fmt.Sprintf("%d%s", installed+2+g.random.IntN(4), date[4:])
	}
}

// upkeep is who looks after it and what they wrote down.
func (g *generator) upkeep(r record, kind equipmentKind, condition int) {
	if len(g.technicians) > 0 && g.random.IntN(4) == 0 {
		r["responsible_user_id"] = g.technicians[g.random.IntN(len(g.technicians))]
	}
	if slices.Contains([]string{"generators", "boilers", "refrigeration", "pumps"}, kind.category) && g.random.IntN(3) == 0 {
		r["meter_reading"], r["meter_unit"] = 200+g.random.IntN(48000), "h"
	}
	if condition >= 4 && g.random.IntN(2) == 0 {
		r["notes"] = g.text(
			g.pick("Pièces de rechange difficiles à obtenir.", "Corrosion visible, à surveiller.", "Remplacement demandé au prochain PTI.",
				"Réparations répétées depuis deux ans."),
			g.pick("Spare parts are hard to get.", "Visible corrosion; keep an eye on it.", "Replacement asked for in the next capital plan.",
				"Repaired repeatedly over the last two years."))
	}
	tags := []string{g.text(frenchCategories[kind.category], strings.ReplaceAll(kind.category, "_", "-"))}
	if condition == 5 {
		tags = append(tags, g.text("à-remplacer", "replace"))
	}
	r["tags"] = tags
	if kind.category == "cooling" || kind.category == "refrigeration" {
		r["custom_fields"] = record{g.text("frigorigene", "refrigerant"): g.pick("R-410A", "R-134a", "R-717", "R-454B")}
	} else if g.random.IntN(3) == 0 {
		r["custom_fields"] = record{g.text("tournee", "route"): fmt.Sprintf("R%d", 1+g.random.IntN(12))}
	}
}

// part is an asset inside another one.
func (g *generator) part(parentID string, parent record, kind equipmentKind) {
	r := record{
		"external_id": parentID + "-P", "parent_asset_external_id": parentID, "system_external_id": parent["system_external_id"],
		"name": g.text(kind.part[0], kind.part[1]), "uniformat_code": kind.code, "status": parent["status"],
		"location": parent["location"], "expected_useful_life_years": max(8, kind.life*2/3),
		"replacement_cost": round(kind.low*0.15, -2), "replacement_cost_year": thisYear,
	}
	for _, field := range []string{"install_year", "install_date", "condition_rating", "planned_renewal_year"} {
		if value, known := parent[field]; known {
			r[field] = value
		}
	}
	if !g.french {
		r["asset_tag"] = fmt.Sprintf("%s-%06d", g.prefix, len(g.data.assets)+1)
	}
	g.data.assets = append(g.data.assets, r)
}
