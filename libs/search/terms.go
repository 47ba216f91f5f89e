package search

import (
	"slices"
	"strings"
	"unicode"
)

// maxWords is how many different words a record is found by, beside its whole codes.
const maxWords = 40

// Kind is what a field is to whoever looks for its record.
type Kind string

// The kinds of searched fields: what is written on a thing, what people call it, and everything else.
const (
	Code Kind = "code"
	Name Kind = "name"
	Text Kind = "text"
)

// A Class says where a record has a term. It is the first byte of the term in the index, so terms of one class stand together.
type Class string

// The classes of terms.
const (
	WholeCode  Class = "c" // without its separators: a000123
	PartOfCode Class = "p" // what stands between separators, and numbers without leading zeros: 000123, 123
	WordOfName Class = "n"
	WordOfText Class = "t"
	FirstWord  Class = "f" // of the name
	WholeName  Class = "l" // the words of the name, a space between them
	ended      Class = "e" // no term follows: the record is in a state that it does not come back from
)

// Ended is the term of records that are disposed of, closed, cancelled and the like.
const Ended = string(ended)

// Term gives a word as the index has it.
func (c Class) Term(word string) string { return string(c) + word }

// Terms collects the terms of one record. Whole codes and the whole name are always among them; of all other words the first 40 are,
// those of names before those of codes, those before those of texts, and what its kind is called comes last: it must not take the place of
// what somebody has written.
type Terms struct {
	Ended                              bool
	wholes, names, codes, texts, kinds []string
}

// Add adds the value of a field.
func (t *Terms) Add(kind Kind, value string) {
	if value == "" {
		return
	}
	switch kind {
	case Code:
		if codes := Codes(value); codes != nil {
			t.wholes, t.codes = append(t.wholes, codes[0]), append(t.codes, codes[1:]...)
		}
	case Name:
		t.names = append(t.names, Fold(value)...)
	case Text:
		t.texts = append(t.texts, Fold(value)...)
	}
}

// AddKind adds what a kind of the record is called.
func (t *Terms) AddKind(words string) { t.kinds = append(t.kinds, Fold(words)...) }

// All gives the record's different terms.
func (t *Terms) All() []string {
	all := make([]string, 0, maxWords+len(t.wholes)+3)
	add := func(class Class, word string) bool {
		term := class.Term(word)
		if slices.Contains(all, term) {
			return false
		}
		all = append(all, term)
		return true
	}
	if t.Ended {
		all = append(all, Ended)
	}
	if t.names != nil {
		all = append(all, WholeName.Term(shorten(strings.Join(t.names, " "))), FirstWord.Term(t.names[0]))
	}
	for _, whole := range t.wholes {
		add(WholeCode, whole)
	}
	left := maxWords
	for _, of := range []struct {
		class Class
		words []string
	}{{WordOfName, t.names}, {PartOfCode, t.codes}, {WordOfText, t.texts}, {WordOfText, t.kinds}} {
		for _, word := range of.words {
			if left > 0 && add(of.class, word) {
				left--
			}
		}
	}
	return all
}

// Corrects says whether a word is one in which typing errors are corrected: of four characters or more, and no digit among them.
func Corrects(word string) bool {
	n := 0
	for _, r := range word {
		if unicode.IsDigit(r) {
			return false
		}
		n++
	}
	return n >= 4
}
