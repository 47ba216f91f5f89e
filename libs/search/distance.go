package search

import "unicode/utf8"

// Distance is how many characters are to be put in, taken out, replaced, or exchanged with the next one to make b of a, no character
// twice: F. J. Damerau, A technique for computer detection and correction of spelling errors (1964), as optimal string alignment.
func Distance(a, b string) int {
	from, to := []rune(a), []rune(b)
	before, row, next := make([]int, len(to)+1), make([]int, len(to)+1), make([]int, len(to)+1)
	for j := range row {
		row[j] = j
	}
	for i := range from {
		next[0] = i + 1
		for j := range to {
			cost := 1
			if from[i] == to[j] {
				cost = 0
			}
			next[j+1] = min(row[j]+cost, row[j+1]+1, next[j]+1)
			if i > 0 && j > 0 && from[i] == to[j-1] && from[i-1] == to[j] {
				next[j+1] = min(next[j+1], before[j-1]+1)
			}
		}
		before, row, next = row, next, before
	}
	return row[len(to)]
}

// Near says whether two words are at distance 1, at little cost where they are not.
func Near(a, b string) bool {
	if a == b {
		return false
	}
	for len(a) > 0 && len(b) > 0 {
		r, size := utf8.DecodeRuneInString(a)
		if other, _ := utf8.DecodeRuneInString(b); other != r {
			break
		}
		a, b = a[size:], b[size:]
	}
	for len(a) > 0 && len(b) > 0 {
		r, size := utf8.DecodeLastRuneInString(a)
		if other, _ := utf8.DecodeLastRuneInString(b); other != r {
			break
		}
		a, b = a[:len(a)-size], b[:len(b)-size]
	}
	// What differs is two characters at most, of four bytes each at most.
	return len(a) <= 8 && len(b) <= 8 && Distance(a, b) == 1
}
