package demo

import (
	"fmt"
	"math"
)

// lines are an organization's networks with their segments and inspections.
type lines struct{ networks, segments, inspections []record }

// lineKind is what segments of a class have in common.
type lineKind struct {
	class           string
	french, english string // name of the network
	life            int
	costPerM        float64
	criticality     string
	method, index   string // how it is inspected
	inspected       int    // of a hundred segments
	cycle           int    // years between inspections
}

var lineKinds = []lineKind{
	{"road", "Chaussées", "Driveways and bus loops", 28, 1450, "high", "pavement_survey", "pci", 100, 3},
	{"water_main", "Aqueduc", "Water services", 80, 1850, "critical", "acoustic", "iimm_5", 18, 5},
	{"sanitary_sewer", "Égout sanitaire", "Sanitary laterals", 75, 1620, "high", "cctv", "pacp_5", 55, 7},
	{"storm_sewer", "Égout pluvial", "Storm drains", 75, 1480, "medium", "cctv", "pacp_5", 40, 8},
	{"bridge", "Ponts et passerelles", "Footbridges", 75, 0, "critical", "osim", "bci", 100, 2},
}

// lineWork makes the networks and knows the kinds that segments are made of.
type lineWork struct {
	*generator
	lines
	kinds map[string]lineKind
	count map[string]int
}

func (g *generator) lineWork() *lineWork {
	l := &lineWork{generator: g, kinds: map[string]lineKind{}, count: map[string]int{}}
	for _, kind := range lineKinds {
		l.kinds[kind.class] = kind
		r := record{
			"external_id": l.network(kind.class), "name": g.text(kind.french, kind.english), "asset_class": kind.class,
			"default_useful_life_years": kind.life, "criticality": kind.criticality, "tags": []string{g.text("linéaire", "linear")},
		}
		if kind.costPerM > 0 {
			r["default_unit_cost_per_m"] = kind.costPerM
		}
		l.networks = append(l.networks, r)
	}
	return l
}

// network is the external id of the network of a class.
func (l *lineWork) network(class string) string { return l.prefix + "-N-" + class }

// segment adds a segment along a line, with its inspections, and gives it to be completed.
func (l *lineWork) segment(class, name string, line [][2]float64, installed int) record {
	kind := l.kinds[class]
	l.count[class]++
	id := fmt.Sprintf("%s-L-%s-%04d", l.prefix, class, l.count[class])
	r := record{
		"external_id": id, "network_external_id": l.network(class), "name": name, "status": "in_service",
		"geometry": record{"type": "LineString", "coordinates": line}, "install_year": installed,
		"consequence_of_failure": map[string]int{"medium": 3, "high": 4, "critical": 5}[kind.criticality] - l.random.IntN(3),
	}
	switch l.random.IntN(120) {
	case 0:
		r["status"] = "planned"
		delete(r, "install_year")
	case 1:
		r["status"] = "abandoned"
	case 2:
		r["status"] = "out_of_service"
	}
	used := float64(l.year()-installed) / float64(kind.life)
	if planned := installed + kind.life; r["status"] == "in_service" && l.chance(85) {
		r["planned_renewal_year"] = max(planned+l.random.IntN(7)-3, l.year()+l.random.IntN(6))
	}
	if used > 0.85 && l.chance(50) {
		r["deferred_maintenance_cost"] = round(length(line)*kind.costPerM*(0.03+0.1*l.random.Float64()), -2)
	}
	l.segments = append(l.segments, r)
	if r["status"] != "planned" && l.chance(kind.inspected) {
		l.inspect(id, kind, used, 1+l.random.IntN(2))
	}
	return r
}

// inspect adds inspections, the latest last; a line that was not renewed gets worse from one to the next.
func (l *lineWork) inspect(segment string, kind lineKind, used float64, times int) {
	latest := 30 + l.random.IntN(kind.cycle*330)
	luck := l.random.NormFloat64() * 0.08
	for i := range times {
		days := latest + (times-1-i)*kind.cycle*365
		worn := math.Max(0, used+luck-float64(days)/365/float64(kind.life))
		r := record{
			"external_id": fmt.Sprintf("%s-I%d", segment, i+1), "segment_external_id": segment, "inspected_on": l.date(-days), "method": kind.method,
			"index_type": kind.index, "next_due_on": l.date(kind.cycle*365 - days),
		}
		var grade int
		if kind.index == "pci" || kind.index == "bci" {
			value := round(math.Min(100, math.Max(12, 98-62*math.Pow(worn, 1.4))), 1)
			grade = int(math.Min(4, math.Max(0, (100-value)/15)))
			r["index_value"] = value
		} else {
			grade = int(math.Min(4, worn*4.2))
			r["index_value"] = grade + 1
		}
		action := []string{"none", "monitor", "maintain", "rehabilitate", "replace"}[grade]
		r["recommended_action"] = action
		if grade >= 2 {
			r["defects"] = []string{l.defect(kind.class)}
			r["estimated_cost"] = round(float64(grade)*(1800+9000*l.random.Float64()), -2)
		}
		l.inspections = append(l.inspections, r)
	}
}

func (l *lineWork) defect(class string) string {
	switch class {
	case "road":
		return l.text(l.pick("Carrelage de fatigue", "Orniérage de 15 mm", "Fissures transversales", "Nids-de-poule"),
			l.pick("Alligator cracking", "Rutting, 15 mm", "Transverse cracks", "Potholes"))
	case "bridge":
		return l.text(l.pick("Delaminage sous le tablier", "Joint de dilatation obstrué", "Corrosion des appuis"),
			l.pick("Decayed deck boards", "Corroded bearings", "Loose railing"))
	case "water_main":
		return l.text(l.pick("Fuite détectée à la jonction", "Perte de paroi de 20 %"), l.pick("Leak heard at a joint", "Wall loss of 20 %"))
	default:
		return l.text(l.pick("Racines à la jonction 4", "Fissure circonférentielle à 12,4 m", "Joint décalé", "Dépôts de graisse"),
			l.pick("Roots at joint 4", "Circumferential crack at 12.4 m", "Offset joint", "Settled deposits"))
	}
}

const metresPerDegree = 111_195

// around turns metres east and north of a place into a position.
func around(latitude, longitude, east, north float64) [2]float64 {
	return [2]float64{
		round(longitude+east/(metresPerDegree*math.Cos(latitude*math.Pi/180)), 6),
		round(latitude+north/metresPerDegree, 6),
	}
}

// length of a line in metres, well enough for prices and slopes.
func length(line [][2]float64) float64 {
	sum := 0.0
	for i := 1; i < len(line); i++ {
		east := (line[i][0] - line[i-1][0]) * metresPerDegree * math.Cos(line[i][1]*math.Pi/180)
		sum += math.Hypot(east, (line[i][1]-line[i-1][1])*metresPerDegree)
	}
	return sum
}
