package resourcetest

import (
	"reflect"
	"strings"
	"testing"
)

// Expect compares values of a record with those that are wanted, by the path of each: "name", or "counts.assets" inside of an object.
// A whole number is written as an int.
func Expect(t testing.TB, record, want map[string]any) {
	t.Helper()
	for path, value := range want {
		if number, ok := value.(int); ok {
			value = float64(number)
		}
		if got := At(record, path); !reflect.DeepEqual(got, value) {
			t.Errorf("%s is %v, want %v", path, got, value)
		}
	}
}

// At gives the value at a path of a record. The objects on the way must be there.
func At(record map[string]any, path string) any {
	var value any = record
	for name := range strings.SplitSeq(path, ".") {
		value = value.(map[string]any)[name]
	}
	return value
}
