package mapping

import (
	"maps"
	"slices"
)

// HeaderFields are the fields that are recognized by the words of a header.
func HeaderFields() []string {
	fields := map[string]bool{}
	for _, names := range calledSo {
		for _, name := range names {
			fields[name] = true
		}
	}
	return slices.Sorted(maps.Keys(fields))
}
