package edge

import "slices"

// Documented are the services whose paths are in the OpenAPI document: those behind keys.
func Documented() []string {
	var names []string
	for _, r := range routes {
		if r.keyed() && r.service != "" && !slices.Contains(names, r.service) {
			names = append(names, r.service)
		}
	}
	return names
}

// ServiceOf is the service that a path leads to; empty where it leads to none.
func ServiceOf(path string) string { return findRoute(path).service }
