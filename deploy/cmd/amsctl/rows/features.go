package rows

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// A GeoJSON FeatureCollection is read feature by feature: a row has the feature's properties as columns, its geometry as
// the column geometry and its id as the column id. Line counts features, because many programs write all of them into
// one line.

// openFeatures goes to the first feature.
func (r *Reader) openFeatures(path string) error {
	start, err := r.buffer.Peek(MaxRowBytes)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	members := json.NewDecoder(bytes.NewReader(start))
	if token, err := members.Token(); err != nil || token != json.Delim('{') {
		return fmt.Errorf("%s is not a GeoJSON FeatureCollection", path)
	}
	for members.More() {
		name, err := members.Token()
		if err != nil {
			break
		}
		if name == "features" {
			if token, err := members.Token(); err != nil || token != json.Delim('[') {
				break
			}
			n, err := r.buffer.Discard(int(members.InputOffset()))
			r.next.Offset += int64(n)
			return err
		}
		var value json.RawMessage
		if err := members.Decode(&value); err != nil {
			break
		}
		if name == "crs" && !isWGS84(value) {
			return fmt.Errorf("%s has coordinates of another system than WGS 84 (%s): convert it, for example with ogr2ogr -t_srs EPSG:4326", path,
				value)
		}
	}
	return fmt.Errorf("%s is not a GeoJSON FeatureCollection: there is no list of features in it", path)
}

// isWGS84 reads the member that GeoJSON had before RFC 7946, and that older programs still write.
func isWGS84(crs json.RawMessage) bool {
	text := strings.ToUpper(string(crs))
	return text == "NULL" || strings.Contains(text, "CRS84") || strings.HasSuffix(strings.TrimRight(text, `"} `), "4326")
}

// nextFeature gives the next feature, or io.EOF.
func (r *Reader) nextFeature() (Row, error) {
	raw, err := r.takeFeature()
	if err != nil {
		return Row{}, err
	}
	row := Row{Line: r.next.Line, Raw: bytes.Clone(bytes.TrimLeft(raw, ", \t\r\n"))}
	r.next.Line++
	r.next.Offset += int64(len(raw))
	parseFeature(&row)
	_, err = r.buffer.Discard(len(raw))
	return row, err
}

// takeFeature finds the next feature, with what stands before it, in the buffer without moving on.
func (r *Reader) takeFeature() (raw []byte, err error) {
	scan := objectScanner{}
	data, _ := r.buffer.Peek(r.buffer.Buffered())
	for {
		end, found, err := scan.find(data)
		switch {
		case errors.Is(err, io.EOF):
			return nil, io.EOF
		case err != nil:
			return nil, fmt.Errorf("feature %d: %w", r.next.Line, err)
		case found:
			return data[:end], nil
		}
		searched := len(data)
		if data, err = r.buffer.Peek(searched + 1); err == nil {
			data, err = r.buffer.Peek(r.buffer.Buffered())
		}
		switch {
		case err == nil && searched < MaxRowBytes:
		case err == nil, errors.Is(err, bufio.ErrBufferFull):
			return nil, fmt.Errorf("feature %d is longer than 1 MiB: split it or simplify its line", r.next.Line)
		case errors.Is(err, io.EOF):
			return nil, fmt.Errorf("the file ends inside feature %d; it is not complete", r.next.Line)
		default:
			return nil, err
		}
	}
}

// objectScanner finds the end of a JSON object behind the comma before it; it remembers where it was when more data
// comes.
type objectScanner struct {
	at, depth int
	text      bool // inside a string
	escaped   bool // behind a backslash in it
}

func (s *objectScanner) find(data []byte) (end int, found bool, err error) {
	for ; s.at < len(data); s.at++ {
		switch c := data[s.at]; {
		case s.escaped:
			s.escaped = false
		case s.text:
			s.escaped, s.text = c == '\\', c != '"'
		case c == '{':
			s.depth++
		case c == '}' && s.depth == 1:
			return s.at + 1, true, nil
		case c == '}':
			s.depth--
		case s.depth > 0:
			s.text = c == '"'
		case c == ']':
			return 0, false, io.EOF
		case !bytes.ContainsRune([]byte(", \t\r\n"), rune(c)):
			return 0, false, fmt.Errorf("%q is not the beginning of a feature", c)
		}
	}
	return 0, false, nil
}

// parseFeature turns a feature into a row.
func parseFeature(row *Row) {
	var feature struct {
		Type       string                     `json:"type"`
		ID         json.RawMessage            `json:"id"`
		Geometry   json.RawMessage            `json:"geometry"`
		Properties map[string]json.RawMessage `json:"properties"`
	}
	if err := json.Unmarshal(row.Raw, &feature); err != nil || feature.Type != "Feature" {
		row.Problem = "is not a GeoJSON feature"
		return
	}
	row.object = feature.Properties
	if row.object == nil {
		row.object = map[string]json.RawMessage{}
	}
	if feature.Geometry != nil {
		row.object["geometry"] = feature.Geometry
	}
	if _, given := row.object["id"]; !given && feature.ID != nil {
		row.object["id"] = feature.ID
	}
}
