package mcp

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// maxResult is the number of characters in one result. A longer one would use up the assistant's context.
const maxResult = 20_000

// record is a record of the API in the results of tools.
type record map[string]any

// listPage is the result of tools that search.
type listPage struct {
	Data  []record `json:"data"`
	Page  int      `json:"page,omitempty"` // 0 where a cursor was given
	Limit int      `json:"limit"`
	Total int      `json:"total"`
	More  string   `json:"more,omitempty"` // how to get the other rows

	NextCursor string `json:"next_cursor,omitempty"`

	Sum    record   `json:"sum,omitempty"`    // with group_by: of all that was found
	Groups []record `json:"groups,omitempty"` // with group_by: in place of rows
	Note   string   `json:"note,omitempty"`   // what else the question may mean

	notes string // of More, what is true of whichever rows are shown
}

// addNote adds a note about the result to More, before how to get the other rows. It stays when rows are cut.
func (l *listPage) addNote(note string) {
	l.notes = strings.TrimSpace(l.notes + " " + note)
	l.More = strings.TrimSpace(note + " " + l.More)
}

// setMore says how to get the rows of the other pages.
func (l *listPage) setMore() {
	l.More = strings.TrimSpace(l.notes + " " + l.next())
}

func (l *listPage) next() string {
	seen := (l.Page-1)*l.Limit + len(l.Data)
	switch {
	case l.NextCursor != "":
		return fmt.Sprintf("%d of %d shown here. Ask again with next_cursor as cursor for the next, or narrow the search.",
			len(l.Data), l.Total)
	case l.Page > 0 && seen < l.Total && len(l.Data) > 0:
		return fmt.Sprintf("%d of %d shown so far. Ask again with page %d for the next, or narrow the search.", seen, l.Total, l.Page+1)
	}
	return ""
}

// truncate returns a result as JSON of at most maxResult characters. It removes what does not fit, and the result says
// how to get that.
func truncate(result any) []byte {
	encoded := encodeJSON(result)
	if utf8.RuneCount(encoded) <= maxResult {
		return encoded
	}
	if l, isList := result.(interface{ rows() *listPage }); isList && len(l.rows().Data) > 1 {
		return truncateList(result, l.rows())
	}
	return truncateRecord(encoded)
}

// rows is the page itself. Reports embed one.
func (l *listPage) rows() *listPage { return l }

// truncateList keeps as many rows as fit, and one at least. The list is l; result is l or contains it.
func truncateList(result any, l *listPage) []byte {
	all := l.Data
	l.Data, l.More = all[:0:0], l.notes
	room, shown := maxResult-utf8.RuneCount(encodeJSON(result))-300, 0 // for what More says of the cut
	for _, row := range all {
		if room -= utf8.RuneCount(encodeJSON(row)) + 1; room < 0 {
			break
		}
		shown++
	}
	shown = max(shown, 1)
	l.Data = all[:shown]
	l.NextCursor = "" // it goes on behind the rows that are cut
	l.More = strings.TrimSpace(l.notes + " " + l.cut(shown, len(all)))
	encoded := encodeJSON(result)
	if utf8.RuneCount(encoded) > maxResult { // a single row is too large
		return truncateRecord(encoded)
	}
	return encoded
}

// cut says which of a page's rows are shown, and how to get the others.
func (l *listPage) cut(shown, rows int) string {
	if l.Page == 0 {
		return fmt.Sprintf("Cut: the first %d of %d rows are shown, because a result has at most %d characters. Ask again with the "+
			"same cursor and limit %d, name fewer fields, or narrow the search.", shown, rows, maxResult, shown)
	}
	before := (l.Page - 1) * l.Limit
	next, repeated := (before+shown)/shown+1, ""
	if (before+shown)%shown != 0 {
		repeated = " (its first rows are among these)"
	}
	return fmt.Sprintf("Cut: rows %d to %d of %d are shown, because a result has at most %d characters. Ask for the rest with limit %d "+
		"and page %d%s, name fewer fields, or narrow the search.",
		before+1, before+shown, l.Total, maxResult, shown, next, repeated)
}

// truncateRecord shortens the longest members until the result fits.
func truncateRecord(encoded []byte) []byte {
	var whole any
	if err := decodeExactly(encoded, &whole); err != nil { // it was encoded a moment ago
		panic(err)
	}
	notes := ""
	if members, isObject := whole.(map[string]any); isObject {
		if notes, _ = members["more"].(string); notes != "" {
			notes = shorten(notes, 2000) + " "
		}
	}
	var names []string
	for _, longest := range []int{2000, 500, 100, 20, 5, 1} {
		names = append(names, shortenMembers(whole, "", longest)...)
		if members, isObject := whole.(map[string]any); isObject {
			members["more"] = notes + "Cut to " + fmt.Sprint(maxResult) + " characters: " + summary(names) +
				". Ask again with fields for what you need whole."
		}
		if shorter := encodeJSON(whole); utf8.RuneCount(shorter) <= maxResult {
			return shorter
		}
	}
	return encodeJSON(
		map[string]any{"more": notes + "The result is too large to be shown. Ask again with fields, naming the few that you need."},
	)
}

// shortenMembers cuts texts to longest characters and lists to a tenth as many entries. It returns the names of what it
// cut.
func shortenMembers(value any, at string, longest int) (names []string) {
	switch v := value.(type) {
	case map[string]any:
		for name, member := range v {
			here := strings.TrimPrefix(at+"."+name, ".")
			switch m := member.(type) {
			case string:
				if name != "more" && utf8.RuneCountInString(m) > max(longest, 40) {
					v[name], names = shorten(m, max(longest, 40)), append(names, here)
				}
			case []any:
				if keep := max(1, longest/10); len(m) > keep {
					v[name], names = m[:keep], append(names, here)
				}
				names = append(names, shortenMembers(v[name], here, longest)...)
			default:
				names = append(names, shortenMembers(m, here, longest)...)
			}
		}
	case []any:
		for _, entry := range v {
			names = append(names, shortenMembers(entry, at, longest)...)
		}
	}
	return names
}

func summary(names []string) string {
	slices.SortFunc(names, cmp.Compare[string])
	names = slices.Compact(names)
	if len(names) > 8 {
		return strings.Join(names[:8], ", ") + " and others are shortened"
	}
	return strings.Join(names, ", ") + " shortened"
}

// shorten cuts a text and marks the cut.
func shorten(text string, longest int) string {
	if utf8.RuneCountInString(text) <= longest {
		return text
	}
	runes := []rune(text)
	return string(runes[:longest-1]) + "…"
}
