package suggest_test

import (
	"strings"
	"testing"

	"ams.internal/libs/suggest"
)

func TestTheNameThatWasMeantIsFound(t *testing.T) {
	known := []string{"name", "manufacturer", "material", "year_built", "status", "state", "site_id", "Aréna", "per_page", "q", "tag"}
	for word, want := range map[string]string{
		"manufacter":          "manufacturer", // two letters short
		"manufcaturer":        "manufacturer", // two letters exchanged are one mistake
		"yearBuilt":           "year_built",
		"YEAR-BUILT":          "year_built",
		"year_bilt":           "year_built",
		"arena":               "Aréna",
		"materiel":            "material",
		"staus":               "status",
		"stat":                "state",
		"siteid":              "site_id",
		"tga":                 "tag",
		"nam":                 "name",
		"na":                  "", // a third of two letters is no letter
		"mnftrer":             "", // five letters short
		"xyz":                 "",
		"":                    "",
		"…":                   "",
		"q":                   "", // is known, and nothing else is near
		"year_built":          "",
		"manu\u0301facturer":  "manufacturer",
		"\xff\xfeyear_built":  "year_built",
		"replacement_cost_to": "",
	} {
		got, found := suggest.Nearest(word, known)
		if got != want || found != (want != "") {
			t.Errorf("for %q: %q, %v; want %q", word, got, found, want)
		}
	}
}

func TestOfNamesAsNearTheFirstOfTheAlphabetIsMeant(t *testing.T) {
	for range 20 { // whatever their order
		if got, _ := suggest.Nearest("coxt", []string{"cost", "coat", "colt"}); got != "coat" {
			t.Fatalf("got %q", got)
		}
		if got, _ := suggest.Nearest("coxt", []string{"colt", "coat", "cost"}); got != "coat" {
			t.Fatalf("got %q", got)
		}
	}
}

func TestParametersAreKnownAsOtherAPIsCallThem(t *testing.T) {
	known := []string{"page", "per_page", "cursor", "q", "sort", "expand", "fields", "updated_since", "ids", "status"}
	for name, want := range map[string]string{
		"limit": "per_page", "page_size": "per_page", "pageSize": "per_page", "size": "per_page", "offset": "page",
		"search": "q", "query": "q", "order_by": "sort", "orderBy": "sort", "order": "sort", "sort_by": "sort",
		"include": "expand", "modified_since": "updated_since", "select": "fields",
		"perpage": "per_page", "statsu": "status", "nothing": "",
	} {
		if got, _ := suggest.Parameter(name, known); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if got, found := suggest.Parameter("limit", []string{"status"}); found {
		t.Errorf("limit is said to be %s, where there is no per_page", got)
	}
	if got := suggest.DidYouMeanParameter("limit", known); got != "; did you mean per_page?" {
		t.Errorf("got %q", got)
	}
	if got := suggest.DidYouMean("limit", known); got != "" {
		t.Errorf("a field called limit is said to be a parameter: %q", got)
	}
}

func FuzzASuggestionIsAlwaysAKnownName(f *testing.F) {
	f.Add("manufacter")
	f.Add("é\u0301\xff")
	known := "name manufacturer year_built a bc def"
	f.Fuzz(func(t *testing.T, word string) {
		got, found := suggest.Parameter(word, strings.Fields(known))
		if found != (got != "") || found && !strings.Contains(known, got) {
			t.Errorf("for %q: %q, %v", word, got, found)
		}
	})
}
