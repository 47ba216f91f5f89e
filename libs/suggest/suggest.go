// Package suggest finds, for a name that does not exist, the most similar one that does.
package suggest

import (
	"slices"
	"unicode/utf8"

	"ams.internal/libs/search"
)

// maxEdits is how many mistakes a name may have for another to be meant; of short names fewer, one in three letters.
const maxEdits = 2

// longestName is longer than any name that there is, in bytes.
const longestName = 200

// Nearest gives the known name that word is a misspelling of, if there is one: at most two letters, and at most a third of word's, are
// put in, taken out, replaced or exchanged with the next one (search.Distance). Case, accents, and the signs between words do not count:
// yearBuilt is year_built. Of several that are as near it is the first of the alphabet.
func Nearest(word string, known []string) (string, bool) {
	if len(word) > longestName { // is none that somebody mistyped, and would take long to compare
		return "", false
	}
	letters := search.Whole(word)
	best, fewest := "", min(maxEdits, utf8.RuneCountInString(letters)/3)+1
	if letters == "" {
		return "", false
	}
	for _, candidate := range slices.Sorted(slices.Values(known)) {
		if candidate == word {
			continue
		}
		if n := search.Distance(letters, search.Whole(candidate)); n < fewest {
			best, fewest = candidate, n
		}
	}
	return best, best != ""
}

// synonyms are query parameters as other APIs call them, without the signs between words, and what they are called here.
var synonyms = map[string]string{
	"limit": "per_page", "pagesize": "per_page", "size": "per_page", "maxresults": "per_page",
	"offset": "page", "pagenumber": "page", "pagetoken": "cursor", "after": "cursor", "startingafter": "cursor",
	"search": "q", "query": "q", "text": "q", "filter": "q",
	"orderby": "sort", "order": "sort", "sortby": "sort", "ordering": "sort",
	"include": "expand", "embed": "expand", "select": "fields",
	"modifiedsince": "updated_since", "changedsince": "updated_since", "since": "updated_since", "updatedafter": "updated_since",
	"id": "ids",
}

// Parameter is Nearest for the name of a query parameter, which may also be called as other APIs call it: limit is per_page.
func Parameter(name string, known []string) (string, bool) {
	if meant, is := synonyms[search.Whole(name)]; is && meant != name && slices.Contains(known, meant) {
		return meant, true
	}
	return Nearest(name, known)
}

// DidYouMean is how a sentence about an unknown name ends: "; did you mean year_built?", or "" when no name is near.
func DidYouMean(word string, known []string) string { return question(Nearest(word, known)) }

// DidYouMeanParameter is DidYouMean for the name of a query parameter.
func DidYouMeanParameter(name string, known []string) string { return question(Parameter(name, known)) }

func question(meant string, found bool) string {
	if !found {
		return ""
	}
	return "; did you mean " + meant + "?"
}
