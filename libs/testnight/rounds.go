package testnight

// Rounds is how often a test tries what it tries: fewer by day than at night.
func Rounds(day, night int) int {
	if Long {
		return night
	}
	return day
}
