package demo

import (
	"math"
)

// lastRenewal is the year in which something with that life was last replaced, in a building of that year: mostly on
// time, sometimes years late, and now and then not at all.
func (g *generator) lastRenewal(built, life int) int {
	year := built
	for {
		next := year + int(float64(life)*(0.85+g.random.Float64()*0.55))
		if next >= thisYear || g.random.IntN(14) == 0 && next > thisYear-life {
			return year
		}
		year = next
	}
}

// care is how well a building is looked after: some are neglected, which is what reports are there to show.
func (g *generator) care() float64 {
	return []float64{-0.15, -0.05, 0, 0, 0.05, 0.1, 0.25, 0.45}[g.random.IntN(8)]
}

// condition from 1 (very good) to 5 (very poor): worse with age and neglect, with some luck either way.
func (g *generator) condition(installed, life int) int {
	used := float64(thisYear-installed)/float64(life) + g.neglect + g.random.NormFloat64()*0.13
	switch {
	case used < 0.22:
		return 1
	case used < 0.5:
		return 2
	case used < 0.86:
		return 3
	case used < 1.12:
		return 4
	default:
		return 5
	}
}

// money is what it costs to replace, what has been put off, and when it is planned.
func (g *generator) money(r record, cost float64, installed, life, condition int) {
	r["replacement_cost"], r["replacement_cost_year"] = cost, thisYear
	planned := installed + life
	switch condition {
	case 5:
		planned = thisYear - 2 + g.random.IntN(5)
		r["deferred_maintenance_cost"] = round(cost*(0.25+g.random.Float64()*0.45), 0)
	case 4:
		planned = max(planned, thisYear+1+g.random.IntN(6))
		if g.random.IntN(3) > 0 {
			r["deferred_maintenance_cost"] = round(cost*(0.08+g.random.Float64()*0.22), 0)
		}
	default:
		planned = max(planned+g.random.IntN(5)-2, thisYear+4+g.random.IntN(4))
	}
	r["planned_renewal_year"] = planned
}

func (g *generator) status() string {
	switch chance := g.random.IntN(200); {
	case chance < 3:
		return "out_of_service"
	case chance < 5:
		return "decommissioned"
	default:
		return "in_service"
	}
}

// consequence of failure from 1 to 5, by what the building is for and what the thing does.
func (g *generator) consequence(b building, kind equipmentKind) int {
	points := map[string]int{"low": 1, "medium": 2, "high": 3, "critical": 4}[buildingKinds[b.kind].criticality]
	switch kind.category {
	case "life_safety", "process", "refrigeration", "generators":
		points++
	case "finishes", "site", "kitchen", "paving", "communications":
		points--
	}
	return min(5, max(1, points+g.random.IntN(2)))
}

func (g *generator) location(b building) string {
	floors := buildingKinds[b.kind].floors
	if g.french {
		return g.pick("Salle mécanique", "Salle électrique", "Corridor principal", "Toit", "Sous-sol", "Hall d'entrée", "Local "+g.room(floors),
			"Local "+g.room(floors))
	}
	return g.pick("Mechanical room", "Electrical room", "Main corridor", "Roof", "Basement", "Entrance hall", "Room "+g.room(floors),
		"Room "+g.room(floors))
}

func (g *generator) room(floors int) string {
	return string([]byte{byte('1' + g.random.IntN(max(floors, 1))), byte('0' + g.random.IntN(4)), byte('1' + g.random.IntN(9))})
}

func (g *generator) pick(choices ...string) string { return choices[g.random.IntN(len(choices))] }

// round keeps that many decimals; negative ones round to tens, hundreds and so on.
func round(value float64, decimals int) float64 {
	scale := math.Pow(10, float64(decimals))
	return math.Round(value*scale) / scale
}
