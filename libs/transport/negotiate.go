package transport

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"ams.internal/libs/fault"
)

// Media types of bodies that are not streams.
const (
	ApplicationJSON = "application/json"
	MergePatch      = "application/merge-patch+json" // RFC 7396
	Problem         = "application/problem+json"     // RFC 9457
)

// Negotiate gives the media type that the lines of an Accept header prefer (RFC 9110, section 12.5.1): JSON, or one of the others that
// there are. That is the one with the highest weight; of equal ones, the one that is named first. Only JSON is meant by a wildcard, and it
// is given where nothing fits: a whole collection is sent to nobody who did not ask for it by name.
func Negotiate(accept []string, others ...string) string {
	best, bestWeight, bestAt := ApplicationJSON, 0.0, math.MaxInt
	plainWeight, plainAt, exactness := 0.0, math.MaxInt, 0 // of JSON, by the range that fits it most exactly
	at := 0
	for _, line := range accept {
		for part := range strings.SplitSeq(line, ",") {
			at++
			mediaType, parameters, _ := strings.Cut(part, ";")
			mediaType = strings.ToLower(strings.TrimSpace(mediaType))
			weight := weightOf(parameters)
			if exact := exactnessOfJSON(mediaType); exact > exactness {
				plainWeight, plainAt, exactness = weight, at, exact
			} else if exact == 0 && weight > bestWeight && slices.Contains(others, mediaType) {
				best, bestWeight, bestAt = mediaType, weight, at
			}
		}
	}
	if bestWeight > plainWeight || bestWeight == plainWeight && bestAt < plainAt {
		return best
	}
	return ApplicationJSON
}

// Acceptable refuses an Accept header that none of the media types fits which a path has. Nobody gets another form than those he asked for.
func Acceptable(accept []string, has ...string) error {
	var named []string
	for _, line := range accept {
		for part := range strings.SplitSeq(line, ",") {
			mediaType, parameters, _ := strings.Cut(part, ";")
			mediaType = strings.ToLower(strings.TrimSpace(mediaType))
			fits := mediaType == "" || mediaType == "*/*" || mediaType == "application/*" || slices.Contains(has, mediaType) ||
				mediaType == Problem && slices.Contains(has, ApplicationJSON)
			if fits && weightOf(parameters) > 0 {
				return nil
			}
			named = append(named, mediaType)
		}
	}
	if named == nil {
		return nil
	}
	return fault.InvalidFields(fault.Field{Field: "Accept", Message: fmt.Sprintf("must name one of %s, which this path has; it names %.200s",
		strings.Join(has, ", "), strings.Join(named, ", "))})
}

// exactnessOfJSON says how exactly a range of media types fits JSON; 0: not at all.
func exactnessOfJSON(mediaRange string) int {
	switch mediaRange {
	case ApplicationJSON:
		return 3
	case "application/*":
		return 2
	case "*/*":
		return 1
	}
	return 0
}

// weightOf reads the weight among the parameters of a media range. One that is no number from 0 to 1 counts as none: 1.
func weightOf(parameters string) float64 {
	for parameter := range strings.SplitSeq(parameters, ";") {
		name, value, _ := strings.Cut(parameter, "=")
		if strings.EqualFold(strings.TrimSpace(name), "q") {
			if weight, err := strconv.ParseFloat(strings.TrimSpace(value), 64); err == nil && weight >= 0 && weight <= 1 {
				return weight
			}
		}
	}
	return 1
}
