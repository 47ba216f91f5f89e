package infrastructure

import (
	"math"
	"math/big"
	"reflect"
	"strconv"

	"github.com/tidwall/geodesic"

	"ams.internal/libs/resource"
)

// distance is the length of the shortest line between two positions on the WGS 84 ellipsoid, in metres (Karney, Algorithms for geodesics,
// Journal of Geodesy 87, 2013).
func distance(from, to [2]float64) float64 {
	var metres float64
	geodesic.WGS84.Inverse(from[1], from[0], to[1], to[0], &metres, nil, nil)
	return metres
}

// length is the length of the lines in metres, to the centimetre. It is nil for points and areas.
func (g *Geometry) length() *float64 {
	if g == nil || g.Type != "LineString" && g.Type != "MultiLineString" {
		return nil
	}
	sum := 0.0
	for _, line := range g.lines() {
		for i := 1; i < len(line); i++ {
			sum += distance(line[i-1], line[i])
		}
	}
	sum = math.Round(sum*100) / 100
	return &sum
}

// Box is a bounding box as GeoJSON writes it: minimum longitude and latitude, then maximum longitude and latitude.
type Box [4]float64

func (g *Geometry) box() *Box {
	if g == nil {
		return nil
	}
	b := Box{math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)}
	for _, line := range g.lines() {
		for _, p := range line {
			b[0], b[1] = min(b[0], p[0]), min(b[1], p[1])
			b[2], b[3] = max(b[2], p[0]), max(b[3], p[1])
		}
	}
	return &b
}

// measure computes box and length from the geometry, and the cost from the length, unless length or cost are given. A computed value
// that is sent back unchanged counts as computed, so that a record can be read and sent back with another geometry.
func (s *Segment) measure(before *Segment, fieldError func(field, format string, args ...any)) {
	if !reflect.DeepEqual(s.Geometry, before.Geometry) {
		s.Bbox = s.Geometry.box()
	}
	if s.LengthM == nil || before.LengthComputed && resource.Same(s.LengthM, before.LengthM) {
		s.LengthM = s.Geometry.length()
		s.LengthComputed, s.MeasuredLengthM = s.LengthM != nil, s.LengthM
	} else {
		s.LengthComputed, s.MeasuredLengthM = false, nil
	}
	if s.ReplacementCost == nil || before.ReplacementCostComputed && resource.Same(s.ReplacementCost, before.ReplacementCost) {
		s.ReplacementCost = nil
		if s.LengthM != nil && s.ReplacementUnitCostPerM != nil {
			cost := costOf(*s.LengthM, *s.ReplacementUnitCostPerM)
			s.ReplacementCost = &cost
			if cost > maxMoney {
				fieldError("replacement_unit_cost_per_m", "times length_m (%v) is more than %.2f; correct one of them", *s.LengthM, maxMoney)
			}
		}
		s.ReplacementCostComputed = s.ReplacementCost != nil
	} else {
		s.ReplacementCostComputed = false
	}
}

// maxMoney is the largest amount that can be stored.
const maxMoney = 9_999_999_999_999.99

// costOf is what a length costs, to the cent, half away from zero. Both numbers are the decimals that they are written as: 1.005 m at 1.00
// a metre cost 1.01.
func costOf(metres, perMetre float64) float64 {
	cost, _ := strconv.ParseFloat(new(big.Rat).Mul(decimal(metres), decimal(perMetre)).FloatString(2), 64)
	return cost
}

// decimal is the shortest decimal that is read as the number.
func decimal(number float64) *big.Rat {
	exact, _ := new(big.Rat).SetString(strconv.FormatFloat(number, 'f', -1, 64))
	return exact
}
