package infrastructure

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"ams.internal/libs/resource"
	"ams.internal/libs/schema"
)

// Segments in a box are found by an ordinary index. Under row-level security only leakproof operators may use an index. Those of the
// geometric index types are not leakproof; comparing whole numbers is. So every segment has one number, its cell, after the
// XZ-ordering of Böhm, Klump and Kriegel ("XZ-Ordering: A Space-Filling Curve for Objects with Spatial Extension", 1999):
//
// The world is divided into quarters, those into quarters, and so on, cellLevels times. A segment belongs to the cell
// that its box begins in, of the finest level at which the cell, doubled in width and height, still covers the box: a
// short segment is in a small cell wherever it lies, also across the border between large ones. Cells are numbered so
// that all that is inside of a cell follows it without a gap. The condition for a box is then a few ranges of numbers. Segments in
// the ranges that are not in the box are left out by comparing the boxes themselves.
//
// The function box_cell in the migrations gives the number of a box. A test compares it with cellsFor.

// cellLevels is how often the world is divided: the smallest cells are 2 metres wide.
const cellLevels = 24

// maxRanges limits what the planner has to consider. Ranges that lie near each other are merged.
const maxRanges = 5

// cellRange is cells whose numbers follow each other.
type cellRange struct{ first, last int64 }

// inside is the number of cells inside of a cell of a level, including itself.
func inside(level int) int64 { return (int64(1)<<(2*(cellLevels-level+1)) - 1) / 3 }

// cells are what segments in a box can belong to.
type cells struct {
	large []int64     // cells that are only partly in the box, by their number alone
	small []cellRange // cells with all that is inside of them
}

// cellsFor gives the cells that segments in the box can belong to.
func cellsFor(b Box) (found cells) {
	// The box in the unit square.
	left, right := (b[0]+180)/360, (b[2]+180)/360
	bottom, top := (b[1]+90)/180, (b[3]+90)/180
	// Below the level at which cells are half as wide as the box, smaller cells would not exclude more.
	finest := min(cellLevels, int(math.Ceil(-math.Log2(max(right-left, top-bottom, 1e-9))))+1)

	var search func(level int, x, y float64, number int64)
	search = func(level int, x, y float64, number int64) {
		size := math.Ldexp(1, -level)
		if x > right || y > top || x+2*size < left || y+2*size < bottom {
			return
		}
		whole := x >= left && y >= bottom && x+2*size <= right && y+2*size <= top
		if whole || level == finest {
			found.small = appendRange(found.small, cellRange{number, number + inside(level) - 1})
			return
		}
		found.large = append(found.large, number)
		for quarter := range int64(4) {
			search(level+1, x+float64(quarter&1)*size/2, y+float64(quarter>>1)*size/2, number+1+quarter*inside(level+1))
		}
	}
	search(0, 0, 0, 0)
	return found
}

// appendRange appends a range, or extends the last one where the new one follows it.
func appendRange(ranges []cellRange, next cellRange) []cellRange {
	if n := len(ranges); n > 0 && ranges[n-1].last+1 == next.first {
		ranges[n-1].last = next.last
		return ranges
	}
	return append(ranges, next)
}

// inBox is the filter of segments whose box touches a given one.
var inBox = resource.Filter{
	Kind: schema.Text,
	Doc: "minLon,minLat,maxLon,maxLat: only segments whose bounding box touches this one. Degrees, WGS 84; it cannot cross the 180th " +
		"meridian.",
	Where: func(text string) (string, []any, error) {
		b, err := parseBox(text)
		if err != nil {
			return "", nil, err
		}
		condition, args := cellsFor(b).condition()
		n := len(args) + 2 // $1 is the organization
		return fmt.Sprintf("%s AND t.max_longitude >= $%d AND t.min_longitude <= $%d AND t.max_latitude >= $%d AND t.min_latitude <= $%d",
			condition, n, n+1, n+2, n+3), append(args, b[0], b[2], b[1], b[3]), nil
	},
}

// condition is the SQL condition for the cells, with few ranges. The large cells are in a subquery, so that the planner estimates
// their number. It would otherwise estimate each of them, which takes longer than reading them.
func (c cells) condition() (string, []any) {
	parts, args := []string{"t.cell = ANY((SELECT $2::bigint[])::bigint[])"}, []any{c.large}
	for _, r := range mergeRanges(c.small) {
		n := len(args) + 2
		parts, args = append(parts, fmt.Sprintf("t.cell >= $%d AND t.cell <= $%d", n, n+1)), append(args, r.first, r.last)
	}
	return "(" + strings.Join(parts, " OR ") + ")", args
}

// mergeRanges merges the ranges with the narrowest gaps between them until there are maxRanges.
func mergeRanges(ranges []cellRange) []cellRange {
	if len(ranges) <= maxRanges {
		return ranges
	}
	gaps := make([]int, len(ranges)-1) // by the range before each, widest first
	for i := range gaps {
		gaps[i] = i
	}
	width := func(i int) int64 { return ranges[i+1].first - ranges[i].last }
	slices.SortFunc(gaps, func(a, b int) int { return cmp.Compare(width(b), width(a)) })
	widest := gaps[:maxRanges-1]
	slices.Sort(widest)
	var merged []cellRange
	start := 0
	for _, gap := range append(widest, len(ranges)-1) {
		merged = append(merged, cellRange{ranges[start].first, ranges[gap].last})
		start = gap + 1
	}
	return merged
}

func parseBox(text string) (b Box, err error) {
	parts := strings.Split(text, ",")
	if len(parts) != len(b) {
		return b, errors.New("must be minLon,minLat,maxLon,maxLat, as in -79.40,43.64,-79.37,43.66")
	}
	for i, part := range parts {
		if b[i], err = strconv.ParseFloat(strings.TrimSpace(part), 64); err != nil || math.IsNaN(b[i]) || strings.ContainsAny(part, "xX") {
			return b, errors.New("must be four numbers, minLon,minLat,maxLon,maxLat, as in -79.40,43.64,-79.37,43.66")
		}
	}
	switch {
	case swapped(b[0], b[1]) || swapped(b[2], b[3]):
		return b, errors.New("has latitude before longitude; it is minLon,minLat,maxLon,maxLat, as in -79.40,43.64,-79.37,43.66")
	case min(b[0], b[2]) < -180 || max(b[0], b[2]) > 180:
		return b, errors.New("must have longitudes between -180 and 180, first and third")
	case min(b[1], b[3]) < -90 || max(b[1], b[3]) > 90:
		return b, errors.New("must have latitudes between -90 and 90, second and fourth")
	case b[0] > b[2]:
		return b, errors.New("must have its western longitude first; a box across the 180th meridian is two boxes, so ask twice")
	case b[1] > b[3]:
		return b, errors.New("must have its southern latitude second and its northern fourth")
	}
	return b, nil
}
