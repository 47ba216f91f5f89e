package mapping

import "ams.internal/libs/suggest"

// Near gives " (did you mean \"X\"?)" when a name is close to one that exists, else nothing.
func Near(name string, known []string) string {
	nearest, found := suggest.Nearest(name, known)
	if !found {
		return ""
	}
	return ` (did you mean "` + nearest + `"?)`
}
