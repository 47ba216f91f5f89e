package demo

import (
	"fmt"
	"math"
)

// town lays out streets between the river and the railway: a grid that is turned to the river, as the old seigneurial
// lots are, with pipes under most of them.
type town struct {
	*lineWork
	crossings [][][2]float64 // by street along the river, by street across; metres east and north of the centre
}

var (
	alongTheRiver = []string{"rue Bord-de-l'Eau", "rue Saint-Laurent", "rue Saint-Charles", "rue Grant", "rue Saint-Jacques",
		"boulevard Curé-Poirier", "rue Brébeuf",
		"rue Joliette", "rue de Normandie", "rue Cartier", "boulevard Jacques-Cartier", "rue Adoncour", "rue Beauregard", "rue des Sorbiers"}
	acrossTheTown = []string{"rue du Quai", "rue de l'Église", "rue Bourassa", "rue Dumont", "chemin de Chambly", "rue Lavallée",
		"rue Toulouse", "rue de Lyon",
		"boulevard Roland-Therrien", "rue Mousseau", "rue Lamarre", "rue des Ormeaux", "chemin du Tremblay", "rue Gardenville", "rue Vauquelin"}
)

// streets makes the linear assets of a town.
func streets(g *generator) lines {
	t := &town{lineWork: g.lineWork()}
	const turn, along, across = 0.61, 165.0, 130.0 // radians, metres
	for j := range alongTheRiver {
		var row [][2]float64
		for i := range acrossTheTown {
			x, y := float64(i-7)*along+t.random.NormFloat64()*9, float64(j-6)*across+t.random.NormFloat64()*7
			row = append(row, [2]float64{x*math.Cos(turn) - y*math.Sin(turn), x*math.Sin(turn) + y*math.Cos(turn)})
		}
		t.crossings = append(t.crossings, row)
	}
	for j, street := range alongTheRiver {
		for i := 1; i < len(acrossTheTown); i++ {
			t.block(street, acrossTheTown[i-1], acrossTheTown[i], t.crossings[j][i-1], t.crossings[j][i], class(j, 5), j)
		}
	}
	for i, street := range acrossTheTown {
		for j := 1; j < len(alongTheRiver); j++ {
			t.block(street, alongTheRiver[j-1], alongTheRiver[j], t.crossings[j-1][i], t.crossings[j][i], class(i, 4), j)
		}
	}
	t.bridges()
	return t.lines
}

// class of a street: every few streets one is larger.
func class(index, every int) string {
	switch index % every {
	case 0:
		return "arterial"
	case 2:
		return "collector"
	default:
		return "local"
	}
}

// block is a street between two crossings, and what lies under it. distance is how far from the river it is: the town
// grew from there.
func (t *town) block(street, from, to string, start, end [2]float64, class string, distance int) {
	name := fmt.Sprintf("%s, de %s à %s", capital(street), from, to)
	built := 1928 + distance*5 + t.random.IntN(9)
	wide := map[string]int{"arterial": 2, "collector": 1}[class]

	road := t.segment("road", name, t.line(start, end, 0), t.lastRenewal(built+10, 26))
	road["from_description"], road["to_description"], road["functional_class"] = capital(from), capital(to), class
	road["surface_type"], road["lanes"], road["width_m"] = "asphalte", 2+wide/2*2, []float64{8.5, 10, 14.5}[wide]
	road["paved"] = true // the word is not among those that it follows from
	road["road_class"], road["aadt"], road["speed_limit_kmh"] = []int{5, 4, 2}[wide], []int{700, 3600, 14200}[wide]+t.random.IntN(900),
		[]int{40, 50, 50}[wide]
	if wide == 2 {
		road["replacement_unit_cost_per_m"] = 2650
	}

	if t.chance(78) {
		main := t.segment("water_main", name, t.line(start, end, 2.5), built)
		main["material"], main["diameter_mm"], main["depth_m"] = t.material(built, "fonte grise", "fonte ductile", "PVC"),
			[]int{150, 200, 300}[wide], 2.1
		main["environment"] = t.pick("sol argileux", "sol argileux", "sol corrosif", "remblai")
	}
	if t.chance(60) {
		t.sewer("sanitary_sewer", name, start, end, -2, built, []int{250, 300, 450}[wide])
	}
	if t.chance(48) {
		t.sewer("storm_sewer", name, start, end, -4, max(built, 1958), []int{375, 525, 900}[wide])
	}
}

func (t *town) sewer(class, name string, start, end [2]float64, aside float64, built, diameter int) {
	line := t.line(start, end, aside)
	r := t.segment(class, name, line, built)
	upstream := round(14+6*t.random.Float64(), 2)
	r["material"], r["diameter_mm"], r["depth_m"] = t.material(built, "grès vitrifié", "béton armé", "PVC"), diameter,
		round(2.4+1.6*t.random.Float64(), 1)
	r["upstream_invert_m"], r["downstream_invert_m"] = upstream, round(upstream-length(line)*(0.003+0.007*t.random.Float64()), 2)
	if built < 1965 && t.chance(25) {
		r["relined_year"] = t.year() - 2 - t.random.IntN(14)
		r["relined_useful_life_years"] = 50
		r["attributes"] = record{"chemisage": "CIPP", "entrepreneur": t.pick("Sanexen", "Insituform", "Clean Water Works")}
	}
}

func (t *town) material(built int, old, middle, recent string) string {
	switch {
	case built < 1962:
		return old
	case built < 1980:
		return middle
	default:
		return recent
	}
}

func (t *town) bridges() {
	for i, name := range []string{"Pont de la rue Saint-Laurent", "Pont de la rue Saint-Charles", "Pont Jacques-Cartier Est",
		"Pont de la rue Cartier", "Pont du chemin du Tremblay", "Passerelle du parc de la Commune",
		"Passerelle Michel-Chartrand", "Pont de la rue Adoncour", "Viaduc Roland-Therrien", "Pont du rang Saint-Michel",
		"Ponceau structural Brébeuf", "Pont de l'Île-aux-Foins"} {
		start := t.crossings[i%len(t.crossings)][len(acrossTheTown)-1]
		span := 12 + 5*float64(i%5) + t.random.Float64()*4
		built := 1951 + 6*i
		bridge := t.segment("bridge", name, t.line([2]float64{start[0] + 35, start[1]}, [2]float64{start[0] + 35 + span, start[1] + span/3}, 0),
			built)
		bridge["span_m"], bridge["width_m"], bridge["material"] = round(span, 1), 9.8, t.pick("béton précontraint", "acier-béton", "béton armé")
		bridge["replacement_cost"] = round(span*9.8*11500, -4)
		if built < 1962 {
			bridge["load_limit_t"], bridge["width_limit_m"] = 15, 3
		}
	}
}

// line between two places, a little aside and a little bent.
func (t *town) line(start, end [2]float64, aside float64) [][2]float64 {
	east, north := end[0]-start[0], end[1]-start[1]
	distance := math.Hypot(east, north)
	x, y := -north/distance*aside, east/distance*aside
	middle := [2]float64{(start[0]+end[0])/2 + t.random.NormFloat64(), (start[1]+end[1])/2 + t.random.NormFloat64()}
	var positions [][2]float64
	for _, p := range [][2]float64{start, middle, end} {
		positions = append(positions, around(t.latitude, t.longitude, p[0]+x, p[1]+y))
	}
	return positions
}

// capital gives the name of a street its capital letter.
func capital(name string) string { return string(name[0]-'a'+'A') + name[1:] }
