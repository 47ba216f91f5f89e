package search

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	maxQuery       = 200 // characters
	maxQueryWords  = 8
	maxCorrections = 5 // of a word
)

// Query is what somebody looks for: records that have all words, or the code.
type Query struct {
	Words []Word // one or more; all must match
	Code  string // the whole text as a code
}

// Word is one word of a query.
type Word struct {
	Typed     string   // folded
	Prefix    bool     // terms that begin with it match as well
	Corrected []string // what was meant, where no term matches it, or what means the same: one of these matches in its place
}

// Parse reads a query. Its errors follow the parameter's name: "must have at most 200 characters".
func Parse(text string) (Query, error) {
	if !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
		return Query{}, errors.New("must be text in UTF-8 without the character NUL")
	}
	if utf8.RuneCountInString(text) > maxQuery {
		return Query{}, fmt.Errorf("must have at most %d characters", maxQuery)
	}
	words := Fold(text)
	switch {
	case len(words) == 0:
		return Query{}, errors.New("must have a letter or a digit")
	case len(words) > maxQueryWords:
		return Query{}, fmt.Errorf("must have at most %d words; those that are rare find more", maxQueryWords)
	}
	query := Query{Code: Whole(text)}
	for i, word := range words {
		last := i == len(words)-1 && utf8.RuneCountInString(word) > 1
		if j := slices.IndexFunc(query.Words, func(w Word) bool { return w.Typed == word }); j < 0 {
			query.Words = append(query.Words, Word{Typed: word, Prefix: last})
		}
	}
	return query, nil
}

// Corrigible gives the words of the query in which a typing error would be corrected.
func (q Query) Corrigible() []Word {
	return slices.DeleteFunc(slices.Clone(q.Words), func(w Word) bool { return w.Corrected != nil || !Corrects(w.Typed) })
}

// Mean replaces words by those that mean the same and that records have, and by themselves where records have them: records says how many
// have a word. It reports whether a word was replaced.
func (q Query) Mean(records func(word string) int) (Query, bool) {
	meant, replaced := Query{Code: q.Code, Words: slices.Clone(q.Words)}, false
	for i, w := range meant.Words {
		var words []string
		for _, word := range Synonyms(w.Typed) {
			if records(word) > 0 {
				words = append(words, word)
			}
		}
		if words == nil {
			continue
		}
		if replaced = true; records(w.Typed) > 0 {
			words = append([]string{w.Typed}, words...)
		}
		meant.Words[i].Corrected = words
	}
	return meant, replaced
}

// Candidate is a known word that a typed one has a variant in common with.
type Candidate struct {
	Typed, Word string // Word is "" where there is none
	Records     int    // that have it
}

// Correct replaces the typed words of candidates by those at distance 1: of several, by the five that most records have. It reports
// whether it could do so for each typed word; where it could not, the query is as it was.
func (q Query) Correct(candidates []Candidate) (Query, bool) {
	slices.SortFunc(candidates, func(a, b Candidate) int {
		return cmp.Or(cmp.Compare(b.Records, a.Records), strings.Compare(a.Word, b.Word))
	})
	meant := map[string][]string{}
	for _, c := range candidates {
		words := meant[c.Typed]
		if c.Records > 0 && len(words) < maxCorrections && !slices.Contains(words, c.Word) && Distance(c.Typed, c.Word) == 1 {
			words = append(words, c.Word)
		}
		meant[c.Typed] = words
	}
	corrected := Query{Code: q.Code, Words: slices.Clone(q.Words)}
	for i, w := range corrected.Words {
		if words, wrong := meant[w.Typed]; wrong {
			if words == nil {
				return q, false
			}
			corrected.Words[i].Corrected = words
		}
	}
	return corrected, len(meant) > 0
}

// Corrected gives the words that were meant, by the typed ones; nil where nothing was corrected.
func (q Query) Corrected() map[string][]string {
	var corrected map[string][]string
	for _, w := range q.Words {
		if w.Corrected != nil {
			if corrected == nil {
				corrected = map[string][]string{}
			}
			corrected[w.Typed] = w.Corrected
		}
	}
	return corrected
}

// Number gives the query as a number without leading zeros, where it is one.
func (q Query) Number() (string, bool) {
	if strings.IndexFunc(q.Code, func(r rune) bool { return !unicode.IsDigit(r) }) >= 0 {
		return "", false
	}
	if number := strings.TrimLeft(q.Code, "0"); number != "" {
		return number, true
	}
	return "0", true
}
