package openapi

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
)

// documentedPath is a path of a document, whose parameters are in braces, and its methods.
type documentedPath struct {
	pattern  string
	segments []string
	methods  []string
}

// pathsOf reads the paths of a document, those with a word at a place before those with a parameter there.
func pathsOf(document []byte) []documentedPath {
	var decoded struct {
		Paths map[string]map[string]struct{} `json:"paths"`
	}
	if err := json.Unmarshal(document, &decoded); err != nil { // it is one of our own making
		panic(err)
	}
	var paths []documentedPath
	for _, pattern := range slices.Sorted(maps.Keys(decoded.Paths)) { // a brace comes behind all letters
		path := documentedPath{pattern: pattern, segments: strings.Split(pattern, "/")}
		for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete} {
			if _, documented := decoded.Paths[pattern][strings.ToLower(method)]; !documented {
				continue
			}
			if path.methods = append(path.methods, method); method == http.MethodGet {
				path.methods = append(path.methods, http.MethodHead)
			}
		}
		path.methods = append(path.methods, http.MethodOptions)
		paths = append(paths, path)
	}
	return paths
}

// Paths lists the paths of the API, with their parameters in braces, as far as they were read from the services.
func (d *Document) Paths() []string {
	var patterns []string
	for _, path := range *d.paths.Load() {
		patterns = append(patterns, path.pattern)
	}
	return patterns
}

// Methods lists the methods that a path takes; nil where no such path was read from a service.
func (d *Document) Methods(path string) []string {
	segments := strings.Split(path, "/")
	fits := func(part, segment string) bool { return part == segment || strings.HasPrefix(part, "{") }
	for _, known := range *d.paths.Load() {
		if slices.EqualFunc(known.segments, segments, fits) {
			return known.methods
		}
	}
	return nil
}
