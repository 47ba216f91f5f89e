package site

import (
	"cmp"
	"slices"
	"strings"

	"ams.internal/libs/search"
)

// index finds sections of the guides and operations of the reference by their words, without regard to accents and case.
type index []entry

// entry is what can be found.
type entry struct {
	Page, Title, Link, Lang string
	text                    string // as it is shown
	titleWords, words       string // folded, a space before each
}

const (
	maxResults  = 30
	maxQuestion = 200 // characters that are looked at
)

func (i *index) add(page, title, link, lang, text string) {
	*i = append(*i,
		entry{Page: page, Title: title, Link: link, Lang: lang, text: text, titleWords: folded(page + " " + title), words: folded(text)})
}

func folded(text string) string {
	words := search.Pieces(text)
	if len(words) == 0 {
		return ""
	}
	return " " + strings.Join(words, " ")
}

// result is an entry with the part of its text where the words stand.
type result struct {
	entry
	Excerpt string
}

// find gives the entries in which every word of the question begins a word, those first that have them in their titles.
func (i index) find(question string) []result {
	if runes := []rune(question); len(runes) > maxQuestion {
		question = string(runes[:maxQuestion])
	}
	words := search.Pieces(question)
	if len(words) == 0 {
		return nil
	}
	type scored struct {
		entry
		score int
	}
	var found []scored
	for _, e := range i {
		score := 0
		for _, word := range words {
			switch {
			case strings.Contains(e.titleWords+" ", " "+word+" "):
				score += 100
			case strings.Contains(e.titleWords, " "+word):
				score += 50
			case strings.Contains(e.words, " "+word):
				score += min(10, strings.Count(e.words, " "+word))
			default:
				score = -1
			}
			if score < 0 {
				break
			}
		}
		if score > 0 {
			found = append(found, scored{e, score})
		}
	}
	slices.SortStableFunc(found, func(a, b scored) int { return cmp.Compare(b.score, a.score) })
	var results []result
	for _, f := range found[:min(len(found), maxResults)] {
		results = append(results, result{f.entry, excerpt(f.text, words)})
	}
	return results
}

// excerpt is about 200 characters around the first word that was looked for.
func excerpt(text string, words []string) string {
	shown := strings.Fields(text)
	at := 0
	for n, word := range shown {
		if pieces := search.Pieces(word); slices.ContainsFunc(pieces, func(piece string) bool {
			return slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(piece, w) })
		}) {
			at = n
			break
		}
	}
	begin := max(0, at-8)
	end := min(len(shown), begin+30)
	cut := strings.Join(shown[begin:end], " ")
	if runes := []rune(cut); len(runes) > 260 {
		cut = string(runes[:260])
		end = 0
	}
	if begin > 0 {
		cut = "… " + cut
	}
	if end < len(shown) {
		cut += " …"
	}
	return cut
}
