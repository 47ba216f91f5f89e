package resourcetest

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"testing"
)

// lineWidth is how much of a document stands in one line: a parameter, a field of a schema, a response.
const lineWidth = 300

// inLines gives a document in the form of golden files: whatever fits stands in one line, the rest has a line for each member. A difference
// shows what changed and no more, and without indentation the file has little over half of the bytes.
func inLines(t testing.TB, document []byte) []byte {
	t.Helper()
	var value any
	if err := json.Unmarshal(document, &value); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	writeLines(&out, value)
	out.WriteByte('\n')
	return out.Bytes()
}

func writeLines(out *bytes.Buffer, value any) {
	members, isObject := value.(map[string]any)
	entries, isList := value.([]any)
	line := oneLine(value)
	switch {
	case len(line) <= lineWidth || !isObject && !isList:
		out.Write(line)
	case isObject:
		for i, name := range slices.Sorted(maps.Keys(members)) {
			out.WriteString([]string{"{", ","}[min(i, 1)] + "\n")
			out.Write(append(oneLine(name), ':'))
			writeLines(out, members[name])
		}
		out.WriteString("\n}")
	default:
		for i, entry := range entries {
			out.WriteString([]string{"[", ","}[min(i, 1)] + "\n")
			writeLines(out, entry)
		}
		out.WriteString("\n]")
	}
}

// oneLine is JSON as people write it: <, > and & are themselves.
func oneLine(value any) []byte {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		panic(err) // it was JSON before
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n"))
}
