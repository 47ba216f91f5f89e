// Package natural compares texts in natural order, Room 2 before Room 10, as the database's collation "natural" does
// (libs/postgres/migrations/0001_base.sql), for programs that sort without it.
package natural

import (
	"cmp"
	"regexp"
	"strings"

	"golang.org/x/text/collate"
	"golang.org/x/text/language"
)

// Order gives a comparison for one sort: it is not for several goroutines. Texts that differ in nothing but zeros before a number are
// still two, and have an order. Numbers are compared with as many digits each; collate.Numeric takes 0 for none.
func Order() func(a, b string) int {
	collator := collate.New(language.Und)
	return func(a, b string) int {
		digits := max(longest(a), longest(b))
		return cmp.Or(collator.CompareString(padded(a, digits), padded(b, digits)), strings.Compare(a, b))
	}
}

var number = regexp.MustCompile(`[0-9]+`)

// longest is how many digits the longest number of a text has.
func longest(text string) (digits int) {
	for _, found := range number.FindAllString(text, -1) {
		digits = max(digits, len(found))
	}
	return digits
}

// padded is a text whose numbers have so many digits.
func padded(text string, digits int) string {
	return number.ReplaceAllStringFunc(text, func(found string) string { return strings.Repeat("0", digits-len(found)) + found })
}
