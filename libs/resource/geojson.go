package resource

import "slices"

// geoJSON is the media type of RFC 7946. A resource whose definition names a geometry can be listed as one
// FeatureCollection, which mapping programs read as a layer.
const geoJSON = "application/geo+json"

var features = &format{
	contentType: geoJSON,
	header:      func(dst []byte, _ *query) []byte { return append(dst, `{"type":"FeatureCollection","features":[`...) },
	row:         appendFeature,
	between:     ",\n",
	footer:      "]}\n",
}

// showFeatures makes the query read the id and the geometry of every record, whatever fields= says: it chooses among
// the properties.
func (q *query) showFeatures(t *table) {
	q.feature = []*column{t.find("id"), t.find(t.geometry)}
	q.columns = slices.DeleteFunc(slices.Clone(q.columns), func(c *column) bool { return slices.Contains(q.feature, c) })
}

func appendFeature(dst []byte, q *query, values row, names []map[string]string) []byte {
	at := len(q.columns) + len(q.expand)
	dst = appendValue(append(dst, `{"type":"Feature","id":`...), q.feature[0], values[at])
	dst = appendValue(append(dst, `,"geometry":`...), q.feature[1], values[at+1])
	return append(q.appendOne(append(dst, `,"properties":`...), values, names), '}')
}
