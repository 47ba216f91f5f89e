package resource

import "time"

// Same says whether two optional values are equal.
func Same[T comparable](a, b *T) bool {
	return a == b || a != nil && b != nil && *a == *b
}

// Today is the date in UTC, where it is never earlier than in Canada: nobody's today is refused as the future.
func Today() string { return time.Now().UTC().Format(time.DateOnly) }
