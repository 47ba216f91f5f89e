package demo

import (
	"fmt"
	"math"
	"strings"
)

// campuses makes the linear assets on an organization's own grounds: driveways, services, drains and footbridges.
func campuses(g *generator) lines {
	l := g.lineWork()
	for _, site := range g.data.sites {
		name, id := site["name"].(string), site["external_id"]
		latitude, longitude := site["latitude"].(float64), site["longitude"].(float64)
		turn := l.random.Float64() * math.Pi
		at := func(x, y float64) [2]float64 {
			return around(latitude, longitude, x*math.Cos(turn)-y*math.Sin(turn), x*math.Sin(turn)+y*math.Cos(turn))
		}
		built := 1955 + l.random.IntN(50)
		for _, way := range []struct {
			class, what string
			line        [][2]float64
			built       int
			facts       record
		}{
			{"road", "bus loop", [][2]float64{at(0, 0), at(25, 35), at(70, 40), at(95, 5)}, l.lastRenewal(built, 25),
				record{"surface_type": "asphalt", "width_m": 7.5, "lanes": 1}},
			{"road", "fire route", [][2]float64{at(95, 5), at(130, -30), at(90, -75)}, l.lastRenewal(built, 25),
				record{"surface_type": "asphalt", "width_m": 6, "lanes": 1}},
			{"road", "staff parking access", [][2]float64{at(0, 0), at(-40, 12), at(-62, 40)}, l.lastRenewal(built, 25),
				record{"surface_type": l.pick("asphalt", "asphalt", "gravel"), "width_m": 6.5, "lanes": 2}},
			{"water_main", "domestic service", [][2]float64{at(0, -6), at(38, -9)}, built,
				record{"material": l.pick("copper", "ductile iron", "PVC"), "diameter_mm": 100, "depth_m": 2.1}},
			{"water_main", "fire line and hydrant", [][2]float64{at(0, -9), at(45, -14), at(88, -40)}, built,
				record{"material": l.pick("ductile iron", "PVC"), "diameter_mm": 150, "depth_m": 2.1}},
			{"sanitary_sewer", "lateral", [][2]float64{at(36, -4), at(0, -3)}, built,
				record{"material": l.pick("vitrified clay", "PVC"), "diameter_mm": 200, "upstream_invert_m": 98.4, "downstream_invert_m": 97.9}},
			{"storm_sewer", "roof and yard drain", [][2]float64{at(60, 20), at(30, 6), at(0, 2)}, built,
				record{"material": l.pick("concrete", "PVC"), "diameter_mm": 300, "upstream_invert_m": 98.9, "downstream_invert_m": 98.1}},
			{"storm_sewer", "parking lot drain", [][2]float64{at(-60, 38), at(-20, 10), at(0, 2)}, built,
				record{"material": l.pick("concrete", "corrugated steel", "PVC"), "diameter_mm": 375, "upstream_invert_m": 99.0,
					"downstream_invert_m": 98.1}},
		} {
			r := l.segment(way.class, fmt.Sprintf("%s, %s", name, way.what), way.line, way.built)
			r["site_external_id"] = id
			for field, value := range way.facts {
				r[field] = value
			}
		}
		if strings.Contains(fmt.Sprint(site["ward"]), "Rural") {
			span := round(6+9*l.random.Float64(), 1)
			r := l.segment("bridge", name+", creek footbridge", [][2]float64{at(-80, -60), at(-80-span, -62)}, built+12)
			r["site_external_id"], r["span_m"], r["width_m"], r["material"] = id, span, 2.4, l.pick("timber", "steel")
			r["replacement_cost"], r["load_limit_t"] = round(span*2.4*4200, -3), 5
		}
	}
	return l.lines
}
