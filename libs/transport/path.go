package transport

import (
	"maps"
	"slices"
	"strings"

	"ams.internal/libs/fault"
	"ams.internal/libs/suggest"
)

// A path that is longer, or has a longer part, is not looked for among others.
const (
	maxSuggestedParts = 10
	maxSuggestedPart  = 60
)

// UnknownPath is the 404 of a path that is nobody's. It suggests the one that was probably meant: of the known ones, whose parameters are
// in braces, that which differs in one part only, by a misspelling. shown is the path as it may be shown.
func UnknownPath(path, shown string, known []string) *fault.Error {
	meant := "; "
	if nearest, found := nearestPath(path, known); found {
		meant = "; did you mean " + nearest + "? "
	}
	return fault.New(fault.KindNotFound, "unknown_path", "There is no %s in this API%s/openapi.json lists the paths.", shown, meant)
}

func nearestPath(path string, known []string) (string, bool) {
	bare := strings.TrimSuffix(path, "/")
	if !strings.HasPrefix(bare+"/", "/v1/") {
		if meant, found := nearestPath("/v1/"+strings.TrimPrefix(bare, "/"), known); found {
			return meant, true
		}
	}
	parts := strings.Split(bare, "/")
	if len(parts) > maxSuggestedParts {
		return "", false
	}
	var patterns [][]string
	for _, pattern := range slices.Sorted(slices.Values(known)) {
		if pattern == bare {
			return pattern, true
		}
		if split := strings.Split(pattern, "/"); len(split) == len(parts) && split[1] != "internal" {
			patterns = append(patterns, split)
		}
	}
	for wrong := len(parts) - 1; wrong > 0; wrong-- {
		if len(parts[wrong]) > maxSuggestedPart {
			return "", false
		}
		byWord := map[string]string{}
		for _, pattern := range patterns {
			if word := pattern[wrong]; byWord[word] == "" && differOnlyAt(wrong, parts, pattern) {
				byWord[word] = strings.Join(pattern, "/")
			}
		}
		if meant, found := suggest.Nearest(parts[wrong], slices.Collect(maps.Keys(byWord))); found {
			return byWord[meant], true
		}
	}
	return "", false
}

// differOnlyAt says whether all parts of a path but one are those of a pattern, and that one is no parameter.
func differOnlyAt(place int, parts, pattern []string) bool {
	for i, part := range pattern {
		if isParameter := strings.HasPrefix(part, "{"); i == place && isParameter || i != place && part != parts[i] && !isParameter {
			return false
		}
	}
	return true
}
