package infrastructure

import (
	"fmt"
	"maps"
	"slices"

	"ams.internal/libs/schema"
)

// Geometry is where a segment is and its shape: a GeoJSON geometry (RFC 7946), WGS 84, longitude before latitude. It is
// checked by hand, because a caller with ten thousand positions needs to know which of them is wrong.
type Geometry struct {
	Type        string `json:"type" enum:"Point,MultiPoint,LineString,MultiLineString,Polygon,MultiPolygon" doc:"Kind of geometry." example:"LineString"`
	Coordinates any    `json:"coordinates" doc:"Positions [longitude, latitude] in degrees, or [longitude, latitude, altitude in metres], nested as the type asks: one for a Point, a list for a MultiPoint or a LineString, a list of lists for a MultiLineString or a Polygon, whose rings are closed, and a list of Polygons for a MultiPolygon. At most 10,000 positions." example:"[[-79.3832, 43.6532], [-79.3805, 43.6541]]"`
}

const (
	maxPositions = 10_000
	maxProblems  = 10 // reported of one geometry; swapped coordinates would be one per position
)

// depths is how deep the positions of a type are nested.
var depths = map[string]int{"Point": 0, "MultiPoint": 1, "LineString": 1, "MultiLineString": 2, "Polygon": 2, "MultiPolygon": 3}

// Check implements schema.Checker.
func (Geometry) Check(at string, value any, problems *schema.Problems) any {
	c := geometryCheck{}
	members, ok := value.(map[string]any)
	if !ok {
		problems.Add(at, `must be a GeoJSON geometry such as {"type": "Point", "coordinates": [-79.3832, 43.6532]}`)
		return value
	}
	kind, _ := members["type"].(string)
	c.kind = kind
	if depth, known := depths[kind]; !known {
		c.add(at+".type", "must be one of Point, MultiPoint, LineString, MultiLineString, Polygon, MultiPolygon; a GeometryCollection is "+
			"several segments")
	} else if coordinates, has := members["coordinates"]; !has {
		c.add(at+".coordinates", "is required")
	} else {
		c.nested(at+".coordinates", coordinates, depth)
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		switch name {
		case "type", "coordinates":
		case "bbox":
			c.box(at+".bbox", members["bbox"])
		case "crs":
			c.add(at+".crs", "must be left out: GeoJSON is always WGS 84, longitude before latitude (RFC 7946); convert the coordinates")
		default:
			c.add(at+"."+name, "is not a member of a geometry; it has type, coordinates and bbox")
		}
	}
	*problems = append(*problems, c.problems...)
	return value
}

// geometryCheck is the check of one geometry.
type geometryCheck struct {
	kind      string
	positions int
	problems  schema.Problems
}

func (c *geometryCheck) add(at, format string, args ...any) {
	if len(c.problems) < maxProblems {
		c.problems.Add(at, format, args...)
	}
}

// box checks a bounding box, which RFC 7946 allows in section 5. It is not kept: the segment has one, of its coordinates.
func (c *geometryCheck) box(at string, value any) {
	numbers, is := value.([]any)
	is = is && (len(numbers) == 4 || len(numbers) == 6)
	for _, number := range numbers {
		_, isNumber := number.(float64)
		is = is && isNumber
	}
	if !is {
		c.add(at, "must be a list of 4 numbers (west, south, east, north), or of 6 with altitudes")
	}
}

// nested checks coordinates whose positions are depth lists down.
func (c *geometryCheck) nested(at string, value any, depth int) {
	if c.positions > maxPositions {
		return
	}
	if depth == 0 {
		c.position(at, value)
		return
	}
	entries, ok := value.([]any)
	if what := c.entries(depth); !ok {
		c.add(at, "must be a list of %s in a %s", what, c.kind)
		return
	} else if len(entries) == 0 {
		c.add(at, "must not be empty; it is a list of %s", what)
		return
	}
	found := len(c.problems)
	for i, entry := range entries {
		c.nested(fmt.Sprintf("%s[%d]", at, i), entry, depth-1)
	}
	if depth == 1 && len(c.problems) == found && c.positions <= maxPositions {
		c.line(at, entries)
	}
}

// entries describes the entries of a list whose positions are depth lists down.
func (c *geometryCheck) entries(depth int) string {
	switch {
	case depth == 1:
		return "positions [longitude, latitude]"
	case depth == 3:
		return "polygons, each a list of rings"
	case c.isArea():
		return "rings, each a list of positions"
	}
	return "lines, each a list of positions"
}

func (c *geometryCheck) isArea() bool { return c.kind == "Polygon" || c.kind == "MultiPolygon" }

// line checks the positions of one line or ring together.
func (c *geometryCheck) line(at string, positions []any) {
	if !c.isArea() {
		if len(positions) < 2 && c.kind != "MultiPoint" {
			c.add(at, "must have at least 2 positions; a single one is a Point")
		}
		return
	}
	if len(positions) < 4 {
		c.add(at, "must have at least 4 positions, the last the same as the first")
		return
	}
	last := len(positions) - 1
	if !slices.Equal(positions[0].([]any), positions[last].([]any)) {
		c.add(fmt.Sprintf("%s[%d]", at, last), "must be the same position as %s[0], %v: rings are closed", at, positions[0])
	}
}

func (c *geometryCheck) position(at string, value any) {
	if c.positions++; c.positions > maxPositions {
		c.add(at, "is one position too many: a geometry has at most %d; split the segment or simplify its line", maxPositions)
		return
	}
	numbers, ok := value.([]any)
	if !ok {
		c.add(at, "must be a position [longitude, latitude]; a %s nests its coordinates %d deep", c.kind, depths[c.kind]+1)
		return
	}
	if len(numbers) < 2 || len(numbers) > 3 {
		c.add(at, "must have 2 numbers, longitude and latitude, or 3 with the altitude; it has %d entries", len(numbers))
		return
	}
	for i, number := range numbers {
		if _, ok := number.(float64); !ok {
			c.add(fmt.Sprintf("%s[%d]", at, i), "must be a number, the %s; a %s nests its coordinates %d deep", axes[i].name, c.kind,
				depths[c.kind]+1)
			return
		}
	}
	longitude, latitude := numbers[0].(float64), numbers[1].(float64)
	if swapped(longitude, latitude) {
		c.add(at, "has latitude before longitude; GeoJSON writes [%v, %v]", latitude, longitude)
		return
	}
	for i, number := range numbers {
		if v := number.(float64); v < axes[i].min || v > axes[i].max {
			c.add(fmt.Sprintf("%s[%d]", at, i), "must be between %v and %v, the %s", axes[i].min, axes[i].max, axes[i].name)
		}
	}
}

// axes are the numbers of a position. Altitudes are stored and shown; nothing is computed from them.
var axes = [3]struct {
	name     string
	min, max float64
}{{"longitude in degrees", -180, 180}, {"latitude in degrees", -90, 90}, {"altitude in metres", -11_000, 9_000}}

// swapped reports whether two numbers are a position of North America with latitude and longitude exchanged. In the order given, they
// lie beyond the south pole, or in the ocean between Africa and Antarctica, where no organization has segments.
func swapped(longitude, latitude float64) bool {
	return longitude >= 24 && longitude <= 84 && latitude >= -170 && latitude <= -52
}

// lines gives the positions of a checked geometry, line by line. A Point or a MultiPoint is one line.
func (g *Geometry) lines() [][][2]float64 {
	var all [][][2]float64
	var gather func(value any, depth int)
	gather = func(value any, depth int) {
		entries, _ := value.([]any)
		switch depth {
		case 0:
			all = append(all, [][2]float64{position(entries)})
		case 1:
			line := make([][2]float64, len(entries))
			for i, entry := range entries {
				numbers, _ := entry.([]any)
				line[i] = position(numbers)
			}
			all = append(all, line)
		default:
			for _, entry := range entries {
				gather(entry, depth-1)
			}
		}
	}
	gather(g.Coordinates, depths[g.Type])
	return all
}

func position(numbers []any) [2]float64 {
	longitude, _ := numbers[0].(float64)
	latitude, _ := numbers[1].(float64)
	return [2]float64{longitude, latitude}
}
