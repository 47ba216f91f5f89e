package main

import "math"

// earthRadius is the mean radius of the Earth in metres, R1 of the IUGG.
const earthRadius = 6_371_008.8

// distance is the length of the great circle between two positions in metres, by the haversine formula (Sinnott, 1984).
func distance(from, to [2]float64) float64 {
	const degree = math.Pi / 180
	half := func(degrees float64) float64 { sine := math.Sin(degrees * degree / 2); return sine * sine }
	h := half(to[1]-from[1]) + math.Cos(from[1]*degree)*math.Cos(to[1]*degree)*half(to[0]-from[0])
	return 2 * earthRadius * math.Asin(math.Sqrt(min(1, h)))
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
