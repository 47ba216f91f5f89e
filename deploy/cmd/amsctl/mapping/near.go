package mapping

import (
	"slices"
	"strings"
)

// Near gives " (did you mean \"X\"?)" when a name is close to one that exists, else nothing.
func Near(name string, known []string) string {
	best, minDistance := "", max(2, len(name)/3)+1
	for _, candidate := range known {
		if d := distance(letters(name), letters(candidate)); d < minDistance {
			best, minDistance = candidate, d
		}
	}
	if best == "" {
		return ""
	}
	return ` (did you mean "` + best + `"?)`
}

// letters is what people remember of a name: not its case, its spaces or its dots.
func letters(name string) []rune {
	return []rune(strings.Map(func(c rune) rune {
		if strings.ContainsRune(" ._-", c) {
			return -1
		}
		return c
	}, strings.ToLower(name)))
}

// distance is Levenshtein's: how many letters must be changed, added or taken away.
func distance(a, b []rune) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i, x := range a {
		diagonal := row[0]
		row[0] = i + 1
		for j, y := range b {
			cost := 1
			if x == y {
				cost = 0
			}
			diagonal, row[j+1] = row[j+1], slices.Min([]int{row[j+1] + 1, row[j] + 1, diagonal + cost})
		}
	}
	return row[len(b)]
}
