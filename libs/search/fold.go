// Package search folds texts, and queries, into the words by which people find records: without accents, in lower case, cut at
// everything that is no letter or digit.
package search

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// maxLetters is how many characters of a word count.
const maxLetters = 64

// spelled are letters that are written with others by whoever does not have them on the keyboard.
var spelled = map[rune]string{'œ': "oe", 'æ': "ae", 'ß': "ss", 'ø': "o", 'đ': "d", 'ł': "l", 'ς': "σ"}

// dropped are words that are in so many names that they tell none apart.
var dropped = map[string]bool{
	"of": true, "and": true, "the": true, "a": true, "an": true, "de": true, "du": true, "des": true, "la": true, "le": true, "les": true,
	"et": true, "au": true, "aux": true, "en": true,
}

// elided are what stands before an apostrophe in French.
var elided = map[string]bool{"c": true, "d": true, "j": true, "l": true, "m": true, "n": true, "s": true, "t": true, "qu": true}

// Fold gives the words of a text in their order: in the decomposition NFKD of UAX #15 (https://unicode.org/reports/tr15/) without marks,
// in lower case, of 64 characters at most. Elided articles, the English 's, and words such as "de" and "the" are left out, unless nothing
// else is left. A text without letters and digits has no words.
func Fold(text string) []string {
	pieces := split(text)
	words := make([]string, 0, len(pieces))
	for i, p := range pieces {
		possessive := i > 0 && p.word == "s" && pieces[i-1].apostrophe
		if !possessive && !dropped[p.word] && !(p.apostrophe && elided[p.word]) {
			words = append(words, p.word)
		}
	}
	if len(words) > 0 {
		return words
	}
	return all(pieces)
}

// Pieces gives what stands between the separators of a code, folded, and nothing left out.
func Pieces(code string) []string { return all(split(code)) }

func all(pieces []piece) []string {
	words := make([]string, len(pieces))
	for i, p := range pieces {
		words[i] = p.word
	}
	return words
}

// Whole gives a code, folded, without its separators: "A-000123" and "a 000123" are the same.
func Whole(code string) string { return shorten(strings.Join(Pieces(code), "")) }

// Codes gives the terms by which a code is found: the whole without separators, its pieces of two characters or more, and each run of
// digits without leading zeros. "A-000123" gives a000123, 000123 and 123.
func Codes(code string) []string {
	pieces := Pieces(code)
	if len(pieces) == 0 {
		return nil
	}
	terms := []string{shorten(strings.Join(pieces, ""))}
	add := func(term string) {
		if !slices.Contains(terms, term) {
			terms = append(terms, term)
		}
	}
	for _, piece := range pieces {
		if len(piece) > 1 && len([]rune(piece)) > 1 {
			add(piece)
		}
	}
	for _, piece := range pieces {
		for _, run := range strings.FieldsFunc(piece, func(r rune) bool { return !unicode.IsDigit(r) }) {
			if number := strings.TrimLeft(run, "0"); number != "" {
				add(number)
			} else {
				add("0")
			}
		}
	}
	return terms
}

// piece is what stands between two separators, and whether an apostrophe follows.
type piece struct {
	word       string
	apostrophe bool
}

func split(text string) []piece {
	var pieces []piece
	var word strings.Builder
	end := func(apostrophe bool) {
		if word.Len() > 0 {
			pieces = append(pieces, piece{shorten(word.String()), apostrophe})
			word.Reset()
		}
	}
	put := func(r rune) {
		switch {
		case r == '\'' || r == '’' || r == '‘' || r == 'ʼ':
			end(true)
		case unicode.Is(unicode.Mn, r):
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			r = unicode.ToLower(r)
			if letters, is := spelled[r]; is {
				word.WriteString(letters)
			} else {
				word.WriteRune(r)
			}
		default:
			end(false)
		}
	}
	for i := 0; i < len(text); i++ {
		if b := text[i]; b < 0x80 {
			put(rune(b))
			continue
		}
		for _, r := range norm.NFKD.String(text[i:]) { // from the first character on that is not ASCII
			put(r)
		}
		break
	}
	end(false)
	return pieces
}

func shorten(word string) string {
	if len(word) <= maxLetters {
		return word
	}
	if letters := []rune(word); len(letters) > maxLetters {
		return string(letters[:maxLetters])
	}
	return word
}
