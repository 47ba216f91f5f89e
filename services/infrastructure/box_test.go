package infrastructure

import (
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/odata"
)

func (c cells) covers(cell int64) bool {
	return slices.Contains(c.large, cell) || slices.ContainsFunc(mergeRanges(c.small),
		func(r cellRange) bool { return r.first <= cell && cell <= r.last })
}

// cellsOf computes the cells of boxes in the database.
func cellsOf(t *testing.T, boxes []Box) []int64 {
	t.Helper()
	db, err := pgx.Connect(t.Context(), newFixture(t).database.Session)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close(t.Context())
	columns := [4][]float64{}
	for _, b := range boxes {
		for i, v := range b {
			columns[i] = append(columns[i], v)
		}
	}
	rows, err := db.Query(t.Context(), "SELECT box_cell(a, b, c, d) FROM unnest($1::float8[], $2::float8[], $3::float8[], $4::float8[]) "+
		"WITH ORDINALITY u (a, b, c, d, n) ORDER BY n",
		columns[0], columns[1], columns[2], columns[3])
	if err != nil {
		t.Fatal(err)
	}
	cells, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	if err != nil {
		t.Fatal(err)
	}
	return cells
}

func (b Box) touches(other Box) bool {
	return b[0] <= other[2] && other[0] <= b[2] && b[1] <= other[3] && other[1] <= b[3]
}

// somewhere is a random box of up to size degrees around a place, within the valid degrees.
func somewhere(random *rand.Rand, longitude, latitude, spread, size float64) Box {
	within := func(v, limit float64) float64 { return max(-limit, min(limit, v)) }
	west := within(longitude+(random.Float64()-0.5)*spread, 180)
	south := within(latitude+(random.Float64()-0.5)*spread, 90)
	return Box{west, south, within(west+random.Float64()*size, 180), within(south+random.Float64()*size, 90)}
}

func TestNoSegmentIsMissedByItsCell(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	var boxes []Box
	for _, size := range []float64{0, 1e-7, 1e-4, 0.001, 0.01, 0.1, 1, 10, 100, 400} {
		for range 300 {
			boxes = append(boxes, somewhere(random, 0, 0, 360, size), somewhere(random, -79.38, 43.65, 0.2, size),
				somewhere(random, -90, 45, 0.01, size))
		}
	}
	boxes = append(boxes, Box{-180, -90, 180, 90}, Box{180, 90, 180, 90}, Box{-180, -90, -180, -90}, Box{-90, 45, -90, 45},
		Box{-90.0001, 44.9999, -90, 45}, Box{0, 0, 0, 0})
	numbers := cellsOf(t, boxes)
	found := 0
	for i, box := range boxes {
		if i%7 != 0 {
			continue
		}
		requested := cellsFor(box)
		for j, other := range boxes {
			if box.touches(other) {
				if found++; !requested.covers(numbers[j]) {
					t.Fatalf("the box %v touches %v, but its cells %v are without %d", box, other, requested, numbers[j])
				}
			}
		}
	}
	if found < 10_000 {
		t.Fatalf("only %d boxes touch each other", found)
	}
}

// Finding the segments of a small area reads few more segments than are in it, also where the borders of large cells cross it: -90°,
// 45° is the corner of four of the largest.
func TestFewSegmentsAreLookedAtInVain(t *testing.T) {
	t.Parallel()
	for name, centre := range map[string][2]float64{"Toronto": {-79.38, 43.65}, "where large cells meet": {-90, 45}} {
		random := rand.New(rand.NewPCG(3, 4))
		var boxes []Box
		for range 20_000 {
			boxes = append(boxes, somewhere(random, centre[0], centre[1], 0.3, 0.0015))
		}
		numbers := cellsOf(t, boxes)
		worst := 0.0
		for range 50 {
			requested := somewhere(random, centre[0], centre[1], 0.2, 0)
			requested[2], requested[3] = requested[0]+0.02, requested[1]+0.02
			candidates := cellsFor(requested)
			if condition, args := candidates.condition(); len(args) > 2*maxRanges+1 || len(candidates.large) > 200 {
				t.Fatalf("%d values and %d large cells in %s", len(args), len(candidates.large), condition)
			}
			read, inside := 0, 0
			for i, number := range numbers {
				if requested.touches(boxes[i]) {
					inside++
				}
				if candidates.covers(number) {
					read++
				}
			}
			worst = max(worst, float64(read)/float64(max(inside, 1)))
		}
		if worst > 12 {
			t.Errorf("%s: up to %.1f segments are read for each that is found", name, worst)
		}
	}
}

func TestBboxFindsWhatTouchesIt(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	network := newNetwork(t, f.Client, "road")
	for name, coordinates := range map[string][]any{
		"dedans": {[]any{-79.385, 43.655}, []any{-79.384, 43.656}}, "à cheval": {[]any{-79.41, 43.655}, []any{-79.385, 43.655}},
		"autour": {[]any{-79.5, 43.5}, []any{-79.2, 43.8}}, "au bord": {[]any{-79.37, 43.66}, []any{-79.36, 43.67}},
		"à côté": {[]any{-79.36, 43.64}, []any{-79.35, 43.66}}, "au nord": {[]any{-79.385, 43.67}, []any{-79.384, 43.68}},
	} {
		f.Create(t, "/v1/infrastructure/segments", fields{"network_id": network, "name": name,
			"geometry": fields{"type": "LineString", "coordinates": coordinates}})
	}
	f.Create(t, "/v1/infrastructure/segments", fields{"network_id": network, "name": "sans géométrie"})
	for box, want := range map[string][]string{
		"-79.39,43.65,-79.37,43.66":     {"au bord", "autour", "dedans", "à cheval"},
		" -79.39, 43.65,-79.37 ,43.66 ": {"au bord", "autour", "dedans", "à cheval"},
		"-79.355,43.65,-79.355,43.65":   {"autour", "à côté"},
		"-180,-90,180,90":               {"au bord", "au nord", "autour", "dedans", "à cheval", "à côté"},
		"10,10,11,11":                   nil,
	} {
		found, pagination := f.List(t, "/v1/infrastructure/segments?sort=name&bbox="+escape(box))
		var names []string
		for _, record := range found {
			names = append(names, record["name"].(string))
		}
		slices.Sort(names)
		if !slices.Equal(names, want) || pagination["total"] != float64(len(want)) {
			t.Errorf("bbox=%s finds %v of %v, want %v", box, names, pagination["total"], want)
		}
	}
	found, _ := f.List(t, "/v1/infrastructure/segments?bbox=-79.39,43.65,-79.37,43.66&name=dedans&asset_class=road")
	if len(found) != 1 {
		t.Errorf("together with other filters: %v", found)
	}
	if found, _ := f.Other().List(t, "/v1/infrastructure/segments?bbox=-180,-90,180,90"); len(found) != 0 {
		t.Errorf("another organization finds %v", found)
	}
	for _, wrong := range []string{"", "a", "-79.39,43.65,-79.37", "-79.39,43.65,-79.37,43.66,1,2", "-79.39,43.65,-79.37,x",
		"-79.39,43.65,-79.37,NaN", "0x1,0,1,1",
		"43.65,-79.39,43.66,-79.37", "-181,43,-79,44", "-79,43,181,44", "-79,-91,-78,44", "-79,43,-78,91", "-78,43,-79,44",
		"-79,44,-78,43", "170,60,-170,70"} {
		if refused := f.Must(t, http.StatusBadRequest, "GET", "/v1/infrastructure/segments?bbox="+escape(wrong),
			nil); !slices.Equal(refused.Fields(), []string{"bbox"}) {
			t.Errorf("bbox=%s: %v", wrong, refused.Fields())
		}
	}
}

// The filter must use its index for the service's own role, to whom row-level security lets only leakproof operators.
func TestBboxUsesItsIndexUnderRowLevelSecurity(t *testing.T) {
	f := newFixtureAlone(t)
	network := newNetwork(t, f.Client, "road")
	for page := range 3 {
		var rows []fields
		for i := range 1000 {
			at := []any{-79.6 + float64(i%40)/100, 43.5 + float64(i/40+page*25)/300}
			rows = append(rows, fields{"network_id": network, "name": "Rue", "geometry": fields{"type": "Point", "coordinates": at}})
		}
		f.Must(t, http.StatusOK, "POST", "/v1/infrastructure/segments/bulk", fields{"data": rows})
	}
	db, err := pgx.Connect(t.Context(), f.database.Session)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close(t.Context())
	owner, err := pgx.Connect(t.Context(), f.database.OwnerURL)
	if err != nil {
		t.Fatal(err)
	}
	defer owner.Close(t.Context())
	if _, err := owner.Exec(t.Context(), "ANALYZE segment"); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec(t.Context(), "SELECT set_config('ams.organization_id', $1, false)", f.Principal.OrganizationID); err != nil {
		t.Fatal(err)
	}
	b := Box{-79.4, 43.6, -79.38, 43.62}
	condition, args := cellsFor(b).condition()
	rows, err := db.Query(t.Context(), "EXPLAIN SELECT count(*) FROM segment t WHERE t.organization_id = $1::uuid AND "+condition,
		append([]any{pgx.QueryExecModeExec, f.Principal.OrganizationID}, args...)...)
	if err != nil {
		t.Fatal(err)
	}
	plan, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(plan, func(line string) bool { return strings.Contains(line, "segment_cell") }) {
		t.Errorf("the plan does without the index:\n%v", plan)
	}
}

// In OData a list is never null: also that of a segment without a geometry has no corners.
func TestTheBoxOfNothingIsEmptyInOData(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	network := newNetwork(t, f.Client, "road")
	id := f.Create(t, "/v1/infrastructure/segments", fields{"network_id": network, "name": "sans géométrie"})["id"].(string)
	path := "/v1/infrastructure/segments/" + id
	for asked, want := range map[string]struct{ path, body string }{
		"segments": {"/v1/infrastructure/segments", `"value":[{"bbox":[]}]}`}, "segments(" + id + ")": {path, `/$entity","bbox":[]}`},
	} {
		answer := f.Must(t, http.StatusOK, "GET", want.path+"?$select=bbox", nil, odata.Header, "https://api.example.com/odata/v4/"+asked)
		if !strings.HasSuffix(string(answer.Body), want.body) {
			t.Errorf("%s is %s", asked, answer.Body)
		}
	}
	if plain := f.Must(t, http.StatusOK, "GET", path, nil).JSON; plain["bbox"] != nil {
		t.Errorf("in the API it is %v", plain["bbox"])
	}
}
