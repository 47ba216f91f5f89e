package figures

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// portfolio writes a small organization with everything that makes figures hard: parts with and without values, values of whole buildings
// and systems, deferred maintenance of nothing, renewals that are due, things that are gone with and without a date. It is the same for
// the same seed.
type portfolio struct {
	o         *organization
	random    *rand.Rand
	sites     []string
	buildings []string
	systems   []string
	assets    []string
	networks  []string
	segments  []string

	deficient map[string]bool // records with deficiencies
	own       []string        // what was said on assets themselves, as lines of own_costs

	ownRatings []string // what was said on segments themselves, as lines of own_ratings
}

func newPortfolio(o *organization, seed uint64) *portfolio {
	return &portfolio{o: o, random: rand.New(rand.NewPCG(seed, 1))}
}

// often is true in so many of a hundred cases.
func (p *portfolio) often(percent int) bool { return p.random.IntN(100) < percent }

// some adds a field in so many of a hundred cases.
func (p *portfolio) some(percent int, r row, field string, value any) {
	if p.often(percent) {
		r[field] = value
	}
}

// money is an amount below most, and nothing at all now and then.
func (p *portfolio) money(most int) float64 {
	if p.often(5) {
		return 0
	}
	return float64(p.random.IntN(most*100)) / 100
}

func (p *portfolio) pick(values ...string) string { return values[p.random.IntN(len(values))] }

func (p *portfolio) day(from, to int) string {
	return fmt.Sprintf("%d-%02d-%02d", from+p.random.IntN(to-from+1), 1+p.random.IntN(12), 1+p.random.IntN(28))
}

// renewal is a year in which a horizon of 0, 1, 2, 5 or 10 makes a difference.
func (p *portfolio) renewal() int { return 2020 + p.random.IntN(20) }

func (p *portfolio) write() {
	p.writePlaces()
	p.writeSystems(18)
	p.writeAssets(70)
	p.assess(p.assets, 2012, 2024)
	p.writeNetworks()
}

// findDeficiencies finds something wrong with so many records of all kinds: live and corrected, with and without a cost, due at once and
// later.
func (p *portfolio) findDeficiencies(records int) {
	if p.deficient == nil {
		p.deficient = map[string]bool{}
	}
	kinds := []struct {
		field string
		ids   []string
	}{{"site_id", p.sites}, {"building_id", p.buildings}, {"system_id", p.systems}, {"asset_id", p.assets}, {"asset_id", p.assets}}
	var found []row
	for range records {
		kind := kinds[p.random.IntN(len(kinds))]
		id := kind.ids[p.random.IntN(len(kind.ids))]
		p.deficient[id] = true
		for range 1 + p.random.IntN(4) {
			found = append(found, p.deficiency(kind.field, id, 2024))
		}
	}
	p.o.bulk("/v1/deficiencies", found)
}

// findOnSegments finds something wrong with so many segments, all of it by the end of 2023.
func (p *portfolio) findOnSegments(records int) {
	var found []row
	for range records {
		id := p.segments[p.random.IntN(len(p.segments))]
		for range 1 + p.random.IntN(4) {
			found = append(found, p.deficiency("segment_id", id, 2023))
		}
	}
	p.o.bulk("/v1/infrastructure/deficiencies", found)
}

// deficiency is one of a record, found in some year from 2019 to the last one.
func (p *portfolio) deficiency(field, id string, last int) row {
	d := row{"title": "Crack", field: id, "found_on": p.day(2019, last),
		"status":   p.pick("open", "open", "planned", "in_work", "corrected", "waived", "void"),
		"category": p.pick("deferred_maintenance", "life_safety", "code", "environmental", "accessibility", "functional", "renewal")}
	p.some(80, d, "estimated_cost", p.money(30_000))
	p.some(40, d, "cost_year", 2015+p.random.IntN(10))
	p.some(50, d, "action_year", p.renewal())
	switch d["status"] {
	case "corrected":
		d["corrected_on"] = p.day(2025, 2025)
	case "waived":
		d["waive_reason"] = "It will be demolished"
	}
	return d
}

var services = []string{"roads", "water", "wastewater", "facilities", "parks_recreation", "fire", "library"}

func (p *portfolio) writePlaces() {
	for i, status := range []string{"active", "active", "inactive", "disposed", "planned"} {
		site := row{"name": fmt.Sprintf("Site %d", i), "status": status}
		p.some(70, site, "ward", p.pick("North", "South"))
		p.some(70, site, "site_type", p.pick("park", "office", "school"))
		p.some(40, site, "service_category", p.pick(services...))
		p.sites = append(p.sites, p.o.create("/v1/sites", site))
	}
	types := []string{"school", "library", "fire_hall", "arena", "housing", "pump_station", "treatment", "administration"}
	for i := range 12 {
		building := row{"name": fmt.Sprintf("Building %d", i), "site_id": p.sites[p.random.IntN(len(p.sites))], "year_built": 1950 + i}
		p.some(85, building, "building_type", types[i%len(types)])
		if p.often(40) {
			building["replacement_cost"], building["replacement_cost_year"] = p.money(3_000_000), 2018+p.random.IntN(8)
		}
		p.some(25, building, "service_category", p.pick(services...))
		building["status"] = p.pick("active", "active", "active", "vacant", "closed", "planned", "demolished")
		if building["status"] == "demolished" {
			p.some(50, building, "out_of_use_on", p.day(2018, 2024))
		}
		p.buildings = append(p.buildings, p.o.create("/v1/buildings", building))
	}
}

var categories = []string{"hvac", "plumbing", "electrical", "shell", "other"}

var codes = []string{"D3050", "D2010", "D5020", "B20", "G2030", "D30"}

func (p *portfolio) writeSystems(n int) {
	var systems []row
	for i := range n {
		system := row{"name": fmt.Sprintf("System %d", len(p.systems)+i), "category": p.pick(categories...),
			"status": p.pick("in_service", "in_service", "in_service", "out_of_service", "planned", "decommissioned")}
		p.place(system, false)
		p.some(60, system, "uniformat_code", p.pick(codes...))
		p.some(35, system, "replacement_cost", p.money(800_000))
		if system["replacement_cost"] != nil {
			p.some(50, system, "replacement_cost_year", 2017+p.random.IntN(9))
		}
		if p.often(50) { // half of them 0: somebody says that nothing was put off
			system["deferred_maintenance_cost"] = float64(p.random.IntN(2)) * p.money(60_000)
		}
		p.some(50, system, "planned_renewal_year", p.renewal())
		p.some(50, system, "condition_rating", 1+p.random.IntN(5))
		p.install(system)
		if system["status"] == "decommissioned" {
			p.some(50, system, "out_of_use_on", p.day(2023, 2025))
		}
		systems = append(systems, system)
	}
	p.systems = append(p.systems, p.o.bulk("/v1/systems", systems)...)
}

// place puts something somewhere: assets into systems as well, and some nowhere.
func (p *portfolio) place(r row, intoSystems bool) {
	switch n := p.random.IntN(10); {
	case n < 5 && intoSystems && len(p.systems) > 0:
		r["system_id"] = p.systems[p.random.IntN(len(p.systems))]
	case n < 8:
		r["building_id"] = p.buildings[p.random.IntN(len(p.buildings))]
	case n < 9:
		r["site_id"] = p.sites[p.random.IntN(len(p.sites))]
	}
}

// install gives a day or a year of installation, or neither, and a life; never after 2022.
func (p *portfolio) install(r row) {
	switch p.random.IntN(4) {
	case 0:
		r["install_year"] = 1960 + p.random.IntN(60)
	case 1, 2:
		r["install_date"] = p.day(1960, 2022)
	}
	p.some(75, r, "expected_useful_life_years", 5+p.random.IntN(60))
}

func (p *portfolio) writeAssets(n int) {
	assets, own := make([]row, n), make([]row, n)
	for i := range n {
		asset := row{"name": fmt.Sprintf("Asset %d", i), "category": p.pick(categories...),
			"status": p.pick("in_service", "in_service", "in_service", "in_service", "out_of_service", "planned", "decommissioned", "disposed")}
		p.place(asset, true)
		p.install(asset)
		p.some(60, asset, "uniformat_code", p.pick(codes...))
		p.some(15, asset, "service_category", p.pick(services...))
		p.some(60, asset, "planned_renewal_year", p.renewal())
		p.some(70, asset, "consequence_of_failure", 1+p.random.IntN(5))
		p.some(30, asset, "probability_of_failure", 1+p.random.IntN(5))
		if p.often(40) {
			asset["condition_rating"], asset["condition_assessed_on"] = 1+p.random.IntN(5), p.day(2010, 2024)
			asset["condition_method"] = p.pick("reported", "age_based", "visual", "detailed")
		}
		switch asset["status"] {
		case "disposed":
			asset["disposed_on"] = p.day(2024, 2025)
			p.some(50, asset, "out_of_use_on", p.day(2023, 2023))
		case "decommissioned":
			p.some(50, asset, "out_of_use_on", p.day(2023, 2025))
		}
		own[i] = p.say(asset)
		assets[i] = asset
	}
	ids := p.o.bulk("/v1/assets", assets)
	for i, said := range own {
		p.keep(ids[i], said)
	}
	p.assets = append(p.assets, ids...)
}

// say puts costs on an asset itself and gives the statement. Where it has no day, the first of the price year is its day.
func (p *portfolio) say(asset row) (said row) {
	said = row{}
	firstOfYear := ""
	if p.often(70) {
		asset["replacement_cost"] = p.money(250_000)
		if p.often(60) {
			year := 2010 + p.random.IntN(14)
			firstOfYear = fmt.Sprintf("%d-01-01", year)
			asset["replacement_cost_year"], said["replacement_cost_year"], said["as_of"] = year, year, firstOfYear
		}
		if p.often(30) {
			asset["replacement_cost_as_of"] = p.day(2012, 2023)
			said["as_of"] = asset["replacement_cost_as_of"]
		}
		said["replacement_cost"] = asset["replacement_cost"]
	}
	if p.often(45) {
		asset["deferred_maintenance_cost"] = float64(p.random.IntN(3)) * p.money(20_000)
		if firstOfYear != "" {
			said["deferred_as_of"] = firstOfYear
		}
		if p.often(50) {
			asset["deferred_maintenance_as_of"] = p.day(2012, 2023)
			said["deferred_as_of"] = asset["deferred_maintenance_as_of"]
		}
		said["deferred_maintenance_cost"] = asset["deferred_maintenance_cost"]
	}
	return said
}

func (p *portfolio) keep(id string, said row) {
	if len(said) > 0 {
		said["asset_id"] = id
		p.own = append(p.own, encoded(p.o.t, said))
	}
}

// assess adds assessments to most assets, with days of the years from to to, in no order.
func (p *portfolio) assess(assets []string, from, to int) {
	for _, id := range assets {
		var rows []row
		for range p.random.IntN(4) {
			assessment := row{"assessed_on": p.day(from, to), "condition_rating": 1 + p.random.IntN(5)}
			p.some(90, assessment, "method", p.pick("detailed", "visual", "desktop", "age_based", "reported"))
			p.some(40, assessment, "replacement_cost", p.money(250_000))
			p.some(40, assessment, "deferred_maintenance_cost", float64(p.random.IntN(3))*p.money(20_000))
			rows = append(rows, assessment)
		}
		if len(rows) > 0 {
			p.o.bulk("/v1/assets/"+id+"/condition-assessments", rows)
		}
	}
}

func (p *portfolio) writeNetworks() {
	for i, class := range []string{"road", "bridge", "water_main", "force_main", "storm_sewer", "trail", "gas_main"} {
		network := row{"name": fmt.Sprintf("Network %d", i), "asset_class": class, "default_unit_cost_per_m": 1 + p.money(2000)}
		p.some(25, network, "service_category", p.pick(services...))
		id := p.o.create("/v1/infrastructure/networks", network)
		p.networks = append(p.networks, id)
		var segments []row
		for j := range 8 {
			segment := row{"name": fmt.Sprintf("Segment %d-%d", i, j), "network_id": id,
				"status": p.pick("in_service", "in_service", "in_service", "out_of_service", "planned", "abandoned", "removed")}
			p.some(80, segment, "length_m", float64(p.random.IntN(300_000))/1000)
			p.some(40, segment, "lanes", 1+p.random.IntN(4))
			if p.often(40) {
				segment["replacement_cost"] = p.money(200_000)
			}
			p.some(40, segment, "deferred_maintenance_cost", float64(p.random.IntN(3))*p.money(20_000))
			p.some(60, segment, "planned_renewal_year", p.renewal())
			if p.often(50) {
				segment["condition_rating"], segment["condition_assessed_on"] = 1+p.random.IntN(5), p.day(2010, 2024)
			}
			p.some(60, segment, "consequence_of_failure", 1+p.random.IntN(5))
			p.install(segment)
			if class == "force_main" && segment["install_date"] != nil && p.often(70) {
				segment["relined_year"], segment["relined_useful_life_years"] = 2023, 5+p.random.IntN(40)
			}
			segments = append(segments, segment)
		}
		var inspections []row
		ids := p.o.bulk("/v1/infrastructure/segments", segments)
		for j, id := range ids {
			if rating := segments[j]["condition_rating"]; rating != nil {
				p.ownRatings = append(p.ownRatings, encoded(p.o.t, row{"segment_id": id, "condition_rating": rating,
					"condition_assessed_on": segments[j]["condition_assessed_on"]}))
			}
			for range p.random.IntN(3) {
				inspection := row{"segment_id": id, "inspected_on": p.day(2010, 2024), "condition_rating": 1 + p.random.IntN(5)}
				p.some(80, inspection, "method", p.pick("visual", "cctv", "lidar"))
				inspections = append(inspections, inspection)
			}
		}
		p.o.bulk("/v1/infrastructure/inspections", inspections)
		p.segments = append(p.segments, ids...)
	}
}

// lists reads everything back, with the statements.
func (p *portfolio) lists() lists {
	found := p.o.lists(true)
	found["own_costs"], found["own_ratings"] = slices.Clone(p.own), slices.Clone(p.ownRatings)
	return found
}

func TestRandomPortfoliosAddUp(t *testing.T) {
	for seed := range uint64(3) {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			p := newPortfolio(newOrganization(t), seed)
			p.write()
			if seed > 0 {
				p.findDeficiencies(40)
				p.findOnSegments(25)
			}
			r := newRecount(t)
			checkToday(p.o, r, p.lists(), 20)
			show(t, "what was found", r.texts("SELECT what FROM found_differences() ORDER BY 1"))
			show(t, "what drives", r.texts("SELECT what FROM said_differences() ORDER BY 1"))
		})
	}
}
