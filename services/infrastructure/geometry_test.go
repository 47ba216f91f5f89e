package infrastructure

import (
	"fmt"
	"math"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"ams.internal/libs/resource/resourcetest"
	"ams.internal/libs/schema"
)

type fields = map[string]any

// geo writes a geometry with coordinates as JSON text.
func geo(kind, coordinates string) string {
	return fmt.Sprintf(`{"type": %q, "coordinates": %s}`, kind, coordinates)
}

func TestGeometryIsRefusedNamingThePlace(t *testing.T) {
	t.Parallel()
	many := func(n int) string {
		return "[" + strings.TrimSuffix(strings.Repeat("[-79.38,43.65],", n), ",") + "]"
	}
	for _, c := range []struct{ name, geometry, at, words string }{
		{"a point", geo("Point", "[-79.3832, 43.6532]"), "", ""},
		{"a point with its altitude", geo("Point", "[-79.3832, 43.6532, 92.4]"), "", ""},
		{"a line", geo("LineString", "[[-79.3832, 43.6532], [-79.38, 43.66]]"), "", ""},
		{"lines", geo("MultiLineString", "[[[-79.3832, 43.6532], [-79.38, 43.66]], [[-79, 43], [-79, 44]]]"), "", ""},
		{"an area", geo("Polygon", "[[[-79.4, 43.6], [-79.3, 43.6], [-79.3, 43.7], [-79.4, 43.6]]]"), "", ""},
		{"an area with a hole", geo("Polygon", "[[[-79.4, 43.6], [-79.3, 43.6], [-79.3, 43.7], [-79.4, 43.6]], [[-79.35, 43.65], [-79.34, "+
			"43.65], [-79.34, 43.66], [-79.35, 43.65]]]"), "", ""},
		{"points", geo("MultiPoint", "[[-79.3832, 43.6532], [-79.38, 43.66, 92]]"), "", ""},
		{"points of which there is one", geo("MultiPoint", "[[-79.3832, 43.6532]]"), "", ""},
		{"areas", geo("MultiPolygon", "[[[[-79.4, 43.6], [-79.3, 43.6], [-79.3, 43.7], [-79.4, 43.6]]], [[[-79.2, 43.6], [-79.1, 43.6], "+
			"[-79.1, 43.7], [-79.2, 43.6]]]]"), "", ""},
		{"a box beside", `{"type": "Point", "coordinates": [-79, 43], "bbox": [-79, 43, -79, 43]}`, "", ""},
		{"a box with altitudes", `{"type": "Point", "coordinates": [-79, 43], "bbox": [-79, 43, 90, -79, 43, 92]}`, "", ""},
		{"10 000 positions", geo("LineString", many(10_000)), "", ""},
		{"the north pole, the south pole, the date line", geo("LineString", "[[-180, 90], [180, -90]]"), "", ""},
		{"Tierra del Fuego is not Canada the wrong way round", geo("Point", "[-68.3, -54.8]"), "", ""},

		{"a text", `"POINT(-79 43)"`, "geometry", "GeoJSON"},
		{"a list", `[-79, 43]`, "geometry", "GeoJSON"},
		{"no type", `{"coordinates": [-79, 43]}`, "geometry.type", "one of"},
		{"no coordinates", `{"type": "Point"}`, "geometry.coordinates", "required"},
		{"an unknown type", geo("Circle", "[[-79, 43]]"), "geometry.type", "one of"},
		{"points without any", geo("MultiPoint", "[]"), "geometry.coordinates", "empty"},
		{"points that are one", geo("MultiPoint", "[-79, 43]"), "geometry.coordinates[0]", "must be a position"},
		{"areas nested as one", geo("MultiPolygon", "[[[-79.4, 43.6], [-79.3, 43.6], [-79.3, 43.7], [-79.4, 43.6]]]"),
			"geometry.coordinates[0][0][0]", "must be a position"},
		{"areas of which one is open", geo("MultiPolygon", "[[[[-79.4, 43.6], [-79.3, 43.6], [-79.3, 43.7], [-79.4, 43.61]]]]"),
			"geometry.coordinates[0][0][3]", "rings are closed"},
		{"a box of three numbers", `{"type": "Point", "coordinates": [-79, 43], "bbox": [-79, 43, -79]}`, "geometry.bbox", "list of 4 numbers"},
		{"a box that is a text", `{"type": "Point", "coordinates": [-79, 43], "bbox": "-79,43,-79,43"}`, "geometry.bbox", "list of 4 numbers"},
		{"a collection", `{"type": "GeometryCollection", "geometries": []}`, "geometry.type", "one of"},
		{"a feature", `{"type": "Feature", "geometry": {"type": "Point", "coordinates": [-79, 43]}, "properties": {}}`, "geometry.type",
			"one of"},
		{"a CRS member", `{"type": "Point", "coordinates": [-79, 43], "crs": {"type": "name", "properties": {"name": "EPSG:26917"}}}`,
			"geometry.crs", "WGS 84"},
		{"another member", `{"type": "Point", "coordinates": [-79, 43], "colour": "red"}`, "geometry.colour", "not a member"},
		{"a point nested too deep", geo("Point", "[[-79, 43]]"), "geometry.coordinates", "2 numbers"},
		{"a line nested too little", geo("LineString", "[-79, 43]"), "geometry.coordinates[0]", "must be a position"},
		{"a line nested too deep", geo("LineString", "[[[-79, 43], [-79, 44]]]"), "geometry.coordinates[0][0]", "must be a number"},
		{"lines nested too little", geo("MultiLineString", "[[-79, 43], [-79, 44]]"), "geometry.coordinates[0][0]", "must be a position"},
		{"an area without rings", geo("Polygon", "[[-79, 43], [-79, 44], [-78, 44], [-79, 43]]"), "geometry.coordinates[0][0]",
			"must be a position"},
		{"lines that are no lists", geo("MultiLineString", `["a"]`), "geometry.coordinates[0]", "list of positions"},
		{"coordinates that are an object", geo("LineString", "{}"), "geometry.coordinates", "list of positions"},
		{"coordinates that are null", geo("LineString", "null"), "geometry.coordinates", "list of positions"},
		{"no positions", geo("LineString", "[]"), "geometry.coordinates", "empty"},
		{"one position is no line", geo("LineString", "[[-79, 43]]"), "geometry.coordinates", "at least 2"},
		{"one number", geo("LineString", "[[-79, 43], [-79]]"), "geometry.coordinates[1]", "2 numbers"},
		{"four numbers", geo("Point", "[-79, 43, 90, 1]"), "geometry.coordinates", "4 entries"},
		{"a number as text", geo("LineString", `[[-79, 43], [-79, "43"]]`), "geometry.coordinates[1][1]", "latitude"},
		{"null as a number", geo("Point", "[null, 43]"), "geometry.coordinates[0]", "longitude"},
		{"too far north", geo("LineString", "[[-79, 43], [-79, 44], [-79, 45], [-79, 90.01]]"), "geometry.coordinates[3][1]",
			"between -90 and 90"},
		{"too far west", geo("LineString", "[[-79, 43], [-180.5, 44]]"), "geometry.coordinates[1][0]", "between -180 and 180"},
		{"metres of UTM", geo("Point", "[630084, 4833438]"), "geometry.coordinates[0]", "between -180 and 180"},
		{"an altitude in outer space", geo("Point", "[-79, 43, 90000]"), "geometry.coordinates[2]", "altitude"},
		{"Toronto the wrong way round", geo("LineString", "[[-79.38, 43.65], [43.66, -79.38]]"), "geometry.coordinates[1]",
			"GeoJSON writes [-79.38, 43.66]"},
		{"Winnipeg the wrong way round", geo("Point", "[49.9, -97.14]"), "geometry.coordinates", "GeoJSON writes [-97.14, 49.9]"},
		{"Iqaluit the wrong way round", geo("Point", "[63.75, -68.52]"), "geometry.coordinates", "latitude before longitude"},
		{"an open ring", geo("Polygon", "[[[-79.4, 43.6], [-79.3, 43.6], [-79.3, 43.7], [-79.4, 43.7]]]"), "geometry.coordinates[0][3]",
			"closed"},
		{"an open hole", geo("Polygon", "[[[-79.4, 43.6], [-79.3, 43.6], [-79.3, 43.7], [-79.4, 43.6]], [[-79, 43], [-79.1, 43], [-79.1, "+
			"43.1], [-79, 43.2]]]"), "geometry.coordinates[1][3]", "closed"},
		{"a ring of three", geo("Polygon", "[[[-79.4, 43.6], [-79.3, 43.6], [-79.4, 43.6]]]"), "geometry.coordinates[0]", "at least 4"},
		{"10 001 positions", geo("LineString", many(10_001)), "geometry.coordinates[10000]", "at most 10000"},
		{"10 001 positions in lines", geo("MultiLineString", "["+many(6_000)+","+many(4_001)+"]"), "geometry.coordinates[1][4000]",
			"at most 10000"},
	} {
		t.Run(c.name, func(t *testing.T) {
			value, err := schema.Parse([]byte(c.geometry))
			if err != nil {
				t.Fatal(err)
			}
			var problems schema.Problems
			Geometry{}.Check("geometry", value, &problems)
			switch {
			case c.at == "" && len(problems) > 0:
				t.Errorf("refused: %v", problems)
			case c.at != "" && (len(problems) == 0 || problems[0].Field != c.at || !strings.Contains(problems[0].Message, c.words)):
				t.Errorf("problems are %v, want %s: …%s…", problems, c.at, c.words)
			}
		})
	}
}

func TestGeometryProblemsAreFewAndNameTheRow(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	network := newNetwork(t, f.Client, "road")
	line := []any{}
	for i := range 500 {
		line = append(line, []any{43.6 + float64(i)/1e4, -79.38})
	}
	body := fields{"network_id": network, "name": "Rue", "geometry": fields{"type": "LineString", "coordinates": line}}
	if refused := f.Must(t, http.StatusBadRequest, "POST", "/v1/infrastructure/segments",
		body); len(refused.Fields()) != maxProblems || refused.Fields()[9] != "geometry.coordinates[9]" {
		t.Errorf("refused %v", refused.Fields())
	}
	good := fields{"network_id": network, "name": "Rue"}
	body["geometry"] = fields{"type": "Point", "coordinates": []any{-79.38, 91}}
	refused := f.Must(t, http.StatusBadRequest, "POST", "/v1/infrastructure/segments/bulk", fields{"data": []fields{good, body}})
	if !strings.Contains(string(refused.Body), `data[1].geometry.coordinates[1]`) {
		t.Errorf("refused: %s", refused.Body)
	}
}

func TestTheLargestGeometryIsKeptWhole(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	line := make([]any, maxPositions)
	for i := range line {
		line[i] = []any{-79.383184123456 + float64(i)/1e6, 43.653225123456 - float64(i)/1e6, 92.125}
	}
	geometry := fields{"type": "LineString", "coordinates": line}
	made := f.Create(t, "/v1/infrastructure/segments",
		fields{"network_id": newNetwork(t, f.Client, "trail"), "name": "Sentier transcanadien", "geometry": geometry})
	if !reflect.DeepEqual(made["geometry"], any(geometry)) {
		t.Error("the geometry came back otherwise than it was sent")
	}
	line[len(line)-1] = []any{-79, 43, 1, 1}
	refused := f.Must(t, http.StatusBadRequest, "PATCH", fmt.Sprint("/v1/infrastructure/segments/", made["id"]), fields{"geometry": geometry})
	if !slices.Equal(refused.Fields(), []string{"geometry.coordinates[9999]"}) {
		t.Errorf("refused %v", refused.Fields())
	}
}

func TestLengthsOnTheEllipsoid(t *testing.T) {
	t.Parallel()
	toronto := [2]float64{-79.4, 43.65}
	for name, c := range map[string]struct {
		to   [2]float64
		want float64
	}{
		"0.1° of longitude":                    {[2]float64{-79.3, 43.65}, 8067.62},
		"0.01° of latitude":                    {[2]float64{-79.4, 43.66}, 1111.06},
		"0.01° of longitude":                   {[2]float64{-79.39, 43.65}, 806.76},
		"nowhere":                              {toronto, 0},
		"half around the world, over the pole": {[2]float64{180 - 79.4, -43.65}, 20003931.46},
	} {
		line := &Geometry{"LineString", []any{[]any{toronto[0], toronto[1]}, []any{c.to[0], c.to[1]}}}
		if got := *line.length(); got != c.want {
			t.Errorf("%s is %v m, want %v", name, got, c.want)
		}
	}
	two := &Geometry{"MultiLineString", []any{
		[]any{[]any{-79.3832, 43.6532}, []any{-79.3832, 43.6632}}, []any{[]any{-79.3832, 43.6532, 10.0}, []any{-79.3732, 43.6532, 500.0}}}}
	if got := *two.length(); math.Abs(got-(1111.06+806.72)) > 0.011 { // each is rounded by itself there; altitudes do not lengthen
		t.Errorf("two lines are %v m together", got)
	}
}

func TestLengthFollowsTheGeometryWhenItWasComputed(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	north := fields{"type": "LineString", "coordinates": []any{[]any{-79.3832, 43.6532}, []any{-79.3832, 43.6632}}}
	east := fields{"type": "LineString", "coordinates": []any{[]any{-79.3832, 43.6532}, []any{-79.3732, 43.6532}}}
	made := f.Create(t, "/v1/infrastructure/segments",
		fields{"network_id": newNetwork(t, f.Client, "road"), "name": "Rue", "geometry": north, "lanes": 4})
	path := fmt.Sprint("/v1/infrastructure/segments/", made["id"])
	resourcetest.Expect(t, made, fields{"length_m": 1111.06, "length_computed": true, "lane_km": 4.444})
	if !reflect.DeepEqual(made["bbox"], []any{-79.3832, 43.6532, -79.3832, 43.6632}) || !reflect.DeepEqual(made["geometry"], any(north)) {
		t.Errorf("geometry %v, bbox %v", made["geometry"], made["bbox"])
	}
	patch := func(body fields) fields {
		t.Helper()
		return f.Must(t, http.StatusOK, "PATCH", path, body).JSON
	}
	resourcetest.Expect(t, patch(fields{"geometry": east}), fields{"length_m": 806.72, "lane_km": 3.227})
	resourcetest.Expect(t, patch(fields{"geometry": fields{"coordinates": north["coordinates"]}}),
		fields{"length_m": 1111.06}) // a merge patch: the type stays
	resourcetest.Expect(t, patch(fields{"length_m": 1000}), fields{"length_m": 1000, "length_computed": false, "lane_km": 4})
	given := patch(fields{"geometry": east})
	resourcetest.Expect(t, given, fields{"length_m": 1000, "length_computed": false})
	if !reflect.DeepEqual(given["bbox"], []any{-79.3832, 43.6532, -79.3732, 43.6532}) {
		t.Errorf("bbox is %v", given["bbox"])
	}
	computed := patch(fields{"length_m": nil})
	resourcetest.Expect(t, computed, fields{"length_m": 806.72, "length_computed": true})
	computed["geometry"] = north
	resourcetest.Expect(t, patch(computed), fields{"length_m": 1111.06, "length_computed": true}) // what was read, with another line
	cleared := patch(fields{"geometry": nil})
	if resourcetest.Expect(t, cleared, fields{"length_m": nil, "length_computed": false}); cleared["bbox"] != nil ||
		cleared["geometry"] != nil {
		t.Errorf("without geometry: %v %v", cleared["bbox"], cleared["geometry"])
	}
	resourcetest.Expect(t, patch(fields{"geometry": fields{"type": "Point", "coordinates": []any{-79.3832, 43.6532}}}),
		fields{"length_m": nil})
	history, _ := f.List(t, path+"/history?per_page=100")
	if changes := history[len(history)-1]["changes"].(fields); !slices.Contains([]int{2}, len(changes)) {
		t.Errorf("the last change names %v, want geometry and bbox", changes)
	}
}

func TestAFeatureCollectionIsTheWholeFilteredCollection(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	network := newNetwork(t, f.Client, "road")
	var rows []fields
	for i := range 620 { // more than a chunk of a stream with names
		row := fields{"network_id": network, "name": fmt.Sprint("Rue ", i), "site_id": site, "segment_code": fmt.Sprintf("R-%03d", i)}
		if i%2 == 0 {
			row["geometry"] = fields{"type": "Point", "coordinates": []any{-79.38, 43 + float64(i)/1000}}
		}
		rows = append(rows, row)
	}
	f.Must(t, http.StatusOK, "POST", "/v1/infrastructure/segments/bulk", fields{"data": rows})
	f.AssertFile(t, "/v1/infrastructure/segments", "application/geo+json", "segments", "geojson")
	read := func(query string, header ...string) []any {
		t.Helper()
		response := f.Must(t, http.StatusOK, "GET", "/v1/infrastructure/segments?"+query, nil,
			append(header, "Accept", "application/geo+json")...)
		if kind := response.Header.Get("Content-Type"); kind != "application/geo+json" {
			t.Errorf("Content-Type %s", kind)
		}
		value, err := schema.Parse(response.Body)
		if err != nil {
			t.Fatalf("%v: %.300s", err, response.Body)
		}
		collection := value.(fields)
		if collection["type"] != "FeatureCollection" || len(collection) != 2 {
			t.Errorf("the collection is %.300s", response.Body)
		}
		return collection["features"].([]any)
	}
	for _, query := range []string{"", "expand=site,network", "sort=-name", "fields=name,site_id&expand=site"} {
		all := read(query)
		if len(all) != len(rows) {
			t.Fatalf("%s gives %d features of %d", query, len(all), len(rows))
		}
		for _, entry := range all {
			feature := entry.(fields)
			properties := feature["properties"].(fields)
			_, hasGeometry := properties["geometry"]
			_, hasID := properties["id"]
			if feature["type"] != "Feature" || len(feature) != 4 || len(feature["id"].(string)) != 36 || hasGeometry || hasID ||
				properties["name"] == nil {
				t.Fatalf("%s gives the feature %v", query, feature)
			}
			if strings.Contains(query, "expand=site") && properties["site"].(fields)["name"] != "Parc High" ||
				strings.HasPrefix(query, "fields") && len(properties) != 3 {
				t.Fatalf("%s gives the properties %v", query, properties)
			}
		}
	}
	first := read("segment_code=R-002")
	if len(first) != 1 || !reflect.DeepEqual(first[0].(fields)["geometry"],
		any(fields{"type": "Point", "coordinates": []any{-79.38, 43.002}})) {
		t.Errorf("the feature is %v", first)
	}
	if lone := read("segment_code=R-003"); len(lone) != 1 || lone[0].(fields)["geometry"] != nil {
		t.Errorf("a segment without geometry is the feature %v", lone)
	}
	if none := read("segment_code=none"); len(none) != 0 {
		t.Errorf("nothing is %v", none)
	}
	// Only what has a geometry is a layer.
	f.Must(t, http.StatusBadRequest, "GET", "/v1/infrastructure/networks", nil, "Accept", "application/geo+json")
}
