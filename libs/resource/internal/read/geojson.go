package read

import (
	"slices"

	"ams.internal/libs/resource/internal/table"
	"ams.internal/libs/transport"
)

// features is the format of a resource whose definition names a geometry: one FeatureCollection, which mapping programs read as a layer.
var features = &format{
	contentType: transport.GeoJSON,
	extension:   "geojson",
	open: text{
		header:  func(dst []byte, _ *query) []byte { return append(dst, `{"type":"FeatureCollection","features":[`...) },
		row:     appendFeature,
		between: ",\n",
		footer:  "]}\n",
	}.open,
}

// showFeatures makes the query read the id and the geometry of every record, whatever fields= says: it chooses among
// the properties.
func (q *query) showFeatures(t list) {
	q.feature = []*table.Column{t.Column("id"), t.Column(t.Geometry)}
	q.columns = slices.DeleteFunc(slices.Clone(q.columns), func(c *table.Column) bool { return slices.Contains(q.feature, c) })
}

func appendFeature(dst []byte, q *query, values table.Values, names []map[string]string) []byte {
	at := len(q.columns) + len(q.expand)
	dst = q.feature[0].AppendValue(append(dst, `{"type":"Feature","id":`...), values[at])
	dst = q.feature[1].AppendValue(append(dst, `,"geometry":`...), values[at+1])
	return append(q.appendOne(append(dst, `,"properties":`...), values, names), '}')
}
