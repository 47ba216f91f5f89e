package resource_test

import (
	"strings"
	"testing"
)

func TestCSVIsExactUnlessItIsForExcel(t *testing.T) {
	client, _ := serve(t)
	shelf := client.Create(t, "/v1/shelves", map[string]any{"name": "=shelf"})
	for _, body := range []map[string]any{
		{"title": "=1+1", "pages": 300, "price": 0.0, "weight": 1.5, "shelf_id": shelf["id"], "tags": []string{"=a", "b"}},
		{"title": "+1", "price": 12.25, "external_id": "-7"},
		{"title": "@x", "external_id": "a;b,c \"d\""},
		{"title": "-"},
		{"title": "x=1", "external_id": "1.5"},
		{"title": "'=quoted"}, {"title": "''@twice"}, {"title": "'plain'"},
	} {
		client.Create(t, "/v1/books", body)
	}
	const path = "/v1/books?fields=title,external_id,pages,price,weight,tags&expand=shelf"
	for _, c := range []struct{ name, query, language, want string }{
		{"exact", "", "fr", `title,external_id,pages,price,weight,tags,shelf
=1+1,,300,0.00,1.5,"[""=a"", ""b""]",=shelf
+1,-7,,12.25,,[],
@x,"a;b,c ""d""",,,,[],
-,,,,,[],
x=1,1.5,,,,[],
'=quoted,,,,,[],
''@twice,,,,,[],
'plain',,,,,[],
`},
		{"for Excel", "&csv=excel", "", "\ufeff" + `title,external_id,pages,price,weight,tags,shelf
'=1+1,,300,0.00,1.5,"[""=a"", ""b""]",'=shelf
'+1,'-7,,12.25,,[],
'@x,"a;b,c ""d""",,,,[],
'-,,,,,[],
x=1,1.5,,,,[],
''=quoted,,,,,[],
'''@twice,,,,,[],
'plain',,,,,[],
`},
		{"for Excel in French", "&csv=excel", "fr-CA,fr;q=0.9,en;q=0.5", "\ufeff" + `title;external_id;pages;price;weight;tags;shelf
'=1+1;;300;0,00;1,5;"[""=a"", ""b""]";'=shelf
'+1;'-7;;12,25;;[];
'@x;"a;b,c ""d""";;;;[];
'-;;;;;[];
x=1;1.5;;;;[];
''=quoted;;;;;[];
'''@twice;;;;;[];
'plain';;;;;[];
`},
		{"for Excel in English before French", "&csv=excel&title=-", "en-CA,fr;q=0.5", "\ufeff" +
			"title,external_id,pages,price,weight,tags,shelf\n'-,,,,,[],\n"},
	} {
		answer := client.Must(t, 200, "GET", path+c.query, nil, "Accept", "text/csv", "Accept-Language", c.language)
		want := c.want
		if c.query != "" {
			want = strings.ReplaceAll(want, "\n", "\r\n")
		}
		if string(answer.Body) != want || answer.Header.Get("Content-Type") != "text/csv; charset=utf-8" {
			t.Errorf("%s: %s\n%q, want\n%q", c.name, answer.Header.Get("Content-Type"), answer.Body, want)
		}
	}
	for _, c := range []struct{ query, accept, says string }{
		{"csv=excel", "", "csv: csv=excel needs Accept: text/csv"},
		{"csv=excel", "application/json", "csv: csv=excel needs Accept: text/csv"},
		{"csv=excel", "application/x-ndjson", "csv: csv=excel needs Accept: text/csv"},
		{"csv=libre", "text/csv", "csv: must be excel"},
		{"csv=", "text/csv", "csv: must be excel"},
	} {
		answer := client.Must(t, 400, "GET", "/v1/books?"+c.query, nil, "Accept", c.accept)
		if said, _ := answer.JSON["error"].(string); !strings.HasPrefix(said, c.says) {
			t.Errorf("%s with Accept %q: %s", c.query, c.accept, said)
		}
	}
	client.Must(t, 400, "GET", "/v1/shelves/"+shelf["id"].(string)+"?csv=excel", nil, "Accept", "text/csv")
}
