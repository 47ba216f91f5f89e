package mcp

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"unicode/utf8"
)

func rowsOf(n, characters int) []record {
	rows := make([]record, n)
	for i := range rows {
		rows[i] = record{"id": fmt.Sprint(i), "name": strings.Repeat("é", characters)}
	}
	return rows
}

func TestALongListIsCutAndSaysHowToGetTheRest(t *testing.T) {
	for _, c := range []struct{ page, limit, total, rows, characters int }{{1, 100, 100, 100, 400}, {3, 100, 1000, 100, 400},
		{2, 97, 500, 97, 900}, {1, 100, 100, 100, 19_000}} {
		all := rowsOf(c.rows, c.characters)
		shown := decode(t, truncate(&listPage{Data: all, Page: c.page, Limit: c.limit, Total: c.total}))
		n := len(shown["data"].([]any))
		var limit, page int
		more := shown["more"].(string)
		if _, err := fmt.Sscanf(more[strings.Index(more, "with limit"):], "with limit %d and page %d", &limit, &page); err != nil {
			t.Fatalf("%v: %v in %q", c, err, more)
		}
		next := (page - 1) * limit // the first row of the next request
		if seen := (c.page-1)*c.limit + n; next > seen || next+limit <= seen || limit < 1 || limit > 100 {
			t.Errorf("%v: %d rows shown, and the next are from %d, %d of them", c, n, next, limit)
		}
		if n == 0 || n == c.rows {
			t.Errorf("%v: %d rows are shown", c, n)
		}
	}
}

// What was taken for what it is not, and that there are more groups, is said with the cut: without it the answer would be another one.
func TestWhatACutResultWasToBeReadWithIsStillSaid(t *testing.T) {
	const note = "Nothing has the manufacturer \"TRANE\"; it was taken for Trane."
	groups := rowsOf(100, 400)
	for name, l := range map[string]*listPage{
		"pages":                    {Data: rowsOf(100, 400), Page: 1, Limit: 100, Total: 300},
		"a cursor":                 {Data: rowsOf(100, 400), Limit: 100, Total: 300},
		"rows too long":            {Data: rowsOf(2, 30_000), Page: 1, Limit: 2, Total: 300, NextCursor: "c2"},
		"one row too long":         {Data: rowsOf(1, 30_000), Page: 1, Limit: 1, Total: 1},
		"groups":                   {Data: []record{}, Groups: groups, Total: 300},
		"too large to be shown at": {Data: []record{wideObject(4000)}, Page: 1, Limit: 1, Total: 1},
	} {
		l.setMore()
		l.addNote(note)
		shown := decode(t, truncate(l))
		more, _ := shown["more"].(string)
		if !strings.HasPrefix(more, note) || !strings.Contains(more, "fields") || strings.Contains(more, "shown so far") {
			t.Errorf("%s: it says %q", name, more)
		}
		if shown["next_cursor"] != nil {
			t.Errorf("%s: the next cursor is behind rows that are not shown", name)
		}
	}
}

func TestALongRecordIsShortenedAndSaysWhere(t *testing.T) {
	for name, of := range map[string]any{
		"a long text":      record{"id": "7", "name": "Chaudière", "notes": strings.Repeat("ligne ", 5000)},
		"many entries":     record{"id": "7", "changes": rowsForJSON(900, 100)},
		"one row too long": &listPage{Data: []record{{"id": "7", "geometry": strings.Repeat("[1,2],", 9000)}}, Page: 1, Limit: 25, Total: 1},
		"many long texts":  record{"id": "7", "measures": rowsForJSON(50, 3000)},
		"many members":     record{"id": "7", "attributes": wideObject(4000)},
	} {
		shown := decode(t, truncate(of))
		if more, _ := shown["more"].(string); !strings.Contains(more, "fields") {
			t.Errorf("%s: it says %q", name, more)
		}
	}
	small := record{"id": "7", "name": "Chaudière"}
	if got := string(truncate(small)); got != `{"id":"7","name":"Chaudière"}` {
		t.Errorf("what fits is %s", got)
	}
}

func rowsForJSON(n, characters int) []any {
	rows := make([]any, n)
	for i := range rows {
		rows[i] = map[string]any{"at": fmt.Sprint(i), "note": strings.Repeat("x", characters)}
	}
	return rows
}

func wideObject(n int) map[string]any {
	members := map[string]any{}
	for i := range n {
		members[fmt.Sprintf("attribute_%04d", i)] = i
	}
	return members
}

func decode(t *testing.T, encoded []byte) map[string]any {
	t.Helper()
	if n := utf8.RuneCount(encoded); n > maxResult {
		t.Errorf("it has %d characters", n)
	}
	var shown map[string]any
	if err := json.Unmarshal(encoded, &shown); err != nil {
		t.Fatal(err)
	}
	return shown
}

func TestAPageThatIsNotTheLastSaysSo(t *testing.T) {
	f := newToolFixture(t)
	f.upstream.respond = func(w http.ResponseWriter, _ *http.Request) bool {
		fmt.Fprintf(w, `{"data":[{"id":"1"},{"id":"2"}],"pagination":{"page":2,"per_page":2,"total":5,"total_pages":3}}`)
		return true
	}
	text, _ := f.call("search_assets", map[string]any{"limit": 2, "page": 2})
	if !strings.Contains(text, "4 of 5 shown so far. Ask again with page 3") {
		t.Errorf("it says %s", text)
	}
	f.upstream.respond = func(w http.ResponseWriter, _ *http.Request) bool {
		fmt.Fprintf(w, `{"data":[],"pagination":{"page":1,"per_page":25,"total":0,"total_pages":1}}`)
		return true
	}
	if text, _ = f.call("search_assets", nil); text != `{"data":[],"page":1,"limit":25,"total":0}` {
		t.Errorf("nothing is shown as %s", text)
	}
}

func TestEveryLongResultOfEveryToolIsCut(t *testing.T) {
	f := newToolFixture(t)
	long := strings.Repeat("é", 1500)
	f.upstream.respond = func(w http.ResponseWriter, r *http.Request) bool {
		row := map[string]any{"id": testID, "name": long, "title": long, "notes": long, "description": long}
		rows := []any{}
		for range 40 {
			rows = append(rows, row)
		}
		whole := map[string]any{"data": rows, "pagination": map[string]any{"page": 1, "per_page": 100, "total": 100, "total_pages": 1},
			"measures": rows, "total": row, "feature_names": []any{}}
		for name, value := range row {
			whole[name] = value
		}
		if r.URL.Path == "/v1/projects/plan" || r.URL.Path == "/v1/reports/state-of-assets" {
			delete(whole, "measures")
		}
		if r.URL.Path == "/v1/me" {
			whole = map[string]any{}
		}
		_ = json.NewEncoder(w).Encode(whole)
		return true
	}
	for _, each := range tools {
		arguments := allArguments(each)
		for _, name := range []string{"asset_tag", "number", "code"} {
			delete(arguments, name)
		}
		text, failed := f.call(each.name, arguments)
		if failed && strings.Contains(text, "arguments") {
			t.Errorf("%s: %s", each.name, text)
		}
		if n := utf8.RuneCountInString(text); n > maxResult {
			t.Errorf("%s answers %d characters", each.name, n)
		}
	}
}

func TestAListSaysHowItsCursorIsUsed(t *testing.T) {
	f := newToolFixture(t)
	var asked []string
	size, next := 1, `"c2"`
	f.upstream.respond = func(w http.ResponseWriter, r *http.Request) bool {
		asked = append(asked, r.URL.RawQuery)
		var rows []string
		for range size {
			rows = append(rows, `{"id":"7","name":"`+strings.Repeat("é", 900)+`"}`)
		}
		fmt.Fprintf(w, `{"data":[%s],"pagination":{"page":null,"per_page":1,"total":300,"total_pages":300,"next_cursor":%s}}`,
			strings.Join(rows, ","), next)
		return true
	}
	result := func(arguments map[string]any) map[string]any {
		t.Helper()
		text, failed := f.call("search_assets", arguments)
		if failed {
			t.Fatal(text)
		}
		return decode(t, []byte(text))
	}
	first := result(map[string]any{"limit": 1})
	if first["page"] != 1.0 || first["next_cursor"] != "c2" || !strings.Contains(first["more"].(string), "next_cursor as cursor") {
		t.Errorf("the first page says %v", first["more"])
	}
	second := result(map[string]any{"limit": 1, "cursor": "c2"})
	if query := asked[len(asked)-1]; second["page"] != nil || !strings.Contains(query, "cursor=c2") || strings.Contains(query, "page=2") {
		t.Errorf("%s gives %v", query, second)
	}
	size = 100
	cut := result(map[string]any{"limit": 100, "cursor": "c2"})
	advice := fmt.Sprintf("same cursor and limit %d", len(cut["data"].([]any)))
	if more := cut["more"].(string); cut["next_cursor"] != nil || !strings.Contains(more, advice) {
		t.Errorf("cut, it says %q with %v", more, cut["next_cursor"])
	}
	size, next = 1, "null"
	if last := result(map[string]any{"limit": 1, "cursor": "c2"}); last["next_cursor"] != nil || last["more"] != nil {
		t.Errorf("the last page says %v", last)
	}
}
