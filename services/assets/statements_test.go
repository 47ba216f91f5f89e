package assets

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"ams.internal/libs/resource"
	"ams.internal/libs/resource/resourcetest"
)

// book is an asset and what is said of it.
type book struct {
	*resourcetest.Client
	path string
}

func newBook(t testing.TB, client *resourcetest.Client, body fields) book {
	t.Helper()
	body = maps.Clone(body)
	body["name"] = "Toiture"
	return book{client, fmt.Sprint("/v1/assets/", client.Create(t, "/v1/assets", body)["id"])}
}

func (b book) shows(t testing.TB, want fields) {
	t.Helper()
	resourcetest.Expect(t, b.Must(t, http.StatusOK, "GET", b.path, nil).JSON, want)
}

func (b book) patch(t testing.TB, body fields) fields {
	t.Helper()
	return b.Must(t, http.StatusOK, "PATCH", b.path, body).JSON
}

// assess enters an assessment and gives its path.
func (b book) assess(t testing.TB, body fields) string {
	t.Helper()
	return fmt.Sprint(b.path, "/condition-assessments/", b.Create(t, b.path+"/condition-assessments", body)["id"])
}

func (b book) count(t testing.TB, want int) {
	t.Helper()
	if list, _ := b.List(t, b.path+"/condition-assessments"); len(list) != want {
		t.Errorf("%d assessments, want %d", len(list), want)
	}
}

// daysAgo is a day before today, as it is for the organization of the tests.
func daysAgo(days int) string {
	today, _ := time.Parse(time.DateOnly, resource.Today(context.Background()))
	return today.AddDate(0, 0, -days).Format(time.DateOnly)
}

func TestANightlyImportDoesNotUndoTheInspectors(t *testing.T) {
	t.Parallel()
	client := serve(t)
	b := newBook(t, client, fields{"external_id": "SAP-1", "condition_rating": 2, "replacement_cost": 50000, "deferred_maintenance_cost": 100})
	b.shows(t, fields{"condition_rating": 2, "condition_assessed_on": resource.Today(t.Context()), "condition_method": "reported",
		"reported_condition_rating": 2})
	inspection := b.assess(t, fields{"assessed_on": daysAgo(53), "condition_rating": 5, "method": "detailed",
		"replacement_cost": 900000, "deferred_maintenance_cost": 10000})
	want := fields{"condition_rating": 5, "condition_assessed_on": daysAgo(53), "condition_method": "detailed", "reported_condition_rating": 2,
		"condition_source_id": inspection[strings.LastIndex(inspection, "/")+1:], "replacement_cost": 900000, "deferred_maintenance_cost": 10000}
	b.shows(t, want)
	version := b.Must(t, http.StatusOK, "GET", b.path, nil).JSON["version"]
	for range 3 {
		client.Must(t, http.StatusOK, "POST", "/v1/assets/bulk?on_conflict=update", fields{"data": []fields{{"external_id": "SAP-1",
			"name": "Toiture", "condition_rating": 2, "replacement_cost": 50000, "deferred_maintenance_cost": 100}}})
	}
	b.shows(t, want)
	b.shows(t, fields{"version": version})
	b.count(t, 2)
	// Another rating each night is kept, and still outweighed.
	client.Must(t, http.StatusOK, "POST", "/v1/assets/bulk?on_conflict=update",
		fields{"data": []fields{{"external_id": "SAP-1", "name": "Toiture", "condition_rating": 1}}})
	want["reported_condition_rating"] = 1
	b.shows(t, want)
	b.count(t, 3)
}

func TestAnImportWithDaysIsMadeOnce(t *testing.T) {
	t.Parallel()
	client := serve(t)
	row := fields{"external_id": "SAP-1", "name": "Toiture", "condition_rating": 2, "condition_assessed_on": "2020-05-01",
		"condition_method": "visual", "replacement_cost": 100, "replacement_cost_as_of": "2020-05-02", "deferred_maintenance_cost": 3,
		"deferred_maintenance_as_of": "2020-05-03"}
	b := newBook(t, client, row)
	b.shows(t, fields{"condition_rating": 2, "condition_assessed_on": "2020-05-01", "condition_method": "visual",
		"reported_condition_rating": nil, "replacement_cost_as_of": "2020-05-02", "deferred_maintenance_as_of": "2020-05-03"})
	b.assess(t, fields{"assessed_on": "2021-05-01", "condition_rating": 5, "replacement_cost": 200, "deferred_maintenance_cost": 4})
	want := fields{"condition_rating": 5, "replacement_cost": 200, "replacement_cost_year": 2021, "deferred_maintenance_cost": 4,
		"replacement_cost_as_of": "2021-05-01", "deferred_maintenance_as_of": "2021-05-01", "version": 2}
	b.shows(t, want)
	for range 2 {
		client.Must(t, http.StatusOK, "POST", "/v1/assets/bulk?on_conflict=update", fields{"data": []fields{row}})
		b.shows(t, want)
	}
	b.count(t, 2)
}

func TestWhatIsReportedCountsAfterFiveYears(t *testing.T) {
	t.Parallel()
	client := serve(t)
	for _, c := range []struct {
		strong, weak string
		want         int
	}{
		{"2016-09-30", "2021-09-30", 5}, {"2016-09-30", "2021-10-01", 2},
		{"2016-02-29", "2021-02-28", 5}, {"2016-02-29", "2021-03-01", 2},
	} {
		b := newBook(t, client, fields{})
		b.assess(t, fields{"assessed_on": c.strong, "condition_rating": 5})
		got := b.patch(t, fields{"condition_rating": 2, "condition_assessed_on": c.weak, "condition_method": "reported"})
		resourcetest.Expect(t, got, fields{"condition_rating": c.want, "reported_condition_rating": 2})
	}
}

func TestRatingsOnTheAssetItself(t *testing.T) {
	t.Parallel()
	client, today := serve(t), resource.Today(t.Context())
	b := newBook(t, client, fields{"condition_rating": 4, "condition_assessed_on": "2020-05-01", "condition_method": "detailed"})
	b.shows(t, fields{"condition_assessed_on": "2020-05-01", "condition_method": "detailed"})
	// The same rating with a later day confirms it; without a day it says nothing.
	resourcetest.Expect(t, b.patch(t, fields{"condition_rating": 4}), fields{"version": 1})
	resourcetest.Expect(t, b.patch(t, fields{"condition_rating": 4, "condition_assessed_on": "2021-05-01", "condition_method": "detailed"}),
		fields{"condition_assessed_on": "2021-05-01", "condition_method": "detailed", "version": 2})
	b.count(t, 2)
	// A day and method that are merely sent back do not belong to another rating: it is reported today.
	sent := b.Must(t, http.StatusOK, "GET", b.path, nil).JSON
	sent["condition_rating"] = 1
	b.patch(t, sent)
	list, _ := client.List(t, b.path+"/condition-assessments?sort=-created_at")
	resourcetest.Expect(t, list[0], fields{"condition_rating": 1, "assessed_on": today, "method": "reported",
		"assessor": client.Principal.Actor.Name})
	// A strong method on the asset is a strong statement.
	resourcetest.Expect(t, b.patch(t, fields{"condition_rating": 3, "condition_method": "instrument"}),
		fields{"condition_rating": 3, "condition_assessed_on": today, "condition_method": "instrument", "reported_condition_rating": 1})
	// Null takes back what was reported. An assessment stays.
	resourcetest.Expect(t, b.patch(t, fields{"condition_rating": nil}), fields{"condition_rating": 3, "reported_condition_rating": nil})
	b.count(t, 5)
	b.patch(t, fields{"condition_rating": nil})
	b.count(t, 5)
}

func TestARatingThatIsTakenBackStaysAway(t *testing.T) {
	t.Parallel()
	client := serve(t)
	b := newBook(t, client, fields{"condition_rating": 2})
	other := b.assess(t, fields{"assessed_on": "2001-05-01", "condition_rating": 4, "method": "age_based"})
	b.patch(t, fields{"condition_rating": 1})
	unknown := fields{"condition_rating": nil, "condition_assessed_on": nil, "condition_method": nil, "condition_source_id": nil,
		"condition_grade": nil, "reported_condition_rating": nil}
	resourcetest.Expect(t, b.patch(t, fields{"condition_rating": nil}), unknown)
	client.Must(t, http.StatusOK, "PATCH", other, fields{"notes": "À revoir"})
	b.shows(t, unknown)
	list, _ := client.List(t, b.path+"/condition-assessments?sort=-created_at")
	resourcetest.Expect(t, list[0], fields{"condition_rating": nil, "method": "reported"})
	path := fmt.Sprint(b.path, "/condition-assessments/", list[0]["id"])
	client.Must(t, http.StatusOK, "PATCH", path, fields{"notes": "Erreur de saisie"})
	client.Must(t, http.StatusNoContent, "DELETE", path, nil)
	b.shows(t, fields{"condition_rating": 1, "reported_condition_rating": 1})
	// What was assessed is not taken back with it, however old it is.
	b.assess(t, fields{"assessed_on": "2001-06-01", "condition_rating": 4})
	b.shows(t, fields{"condition_rating": 1})
	resourcetest.Expect(t, b.patch(t, fields{"condition_rating": nil}), fields{"condition_rating": 4, "reported_condition_rating": nil})
}

func TestAnOldNoteDoesNotBringBackOldCosts(t *testing.T) {
	t.Parallel()
	client := serve(t)
	b := newBook(t, client, fields{})
	assessment := b.assess(t, fields{"assessed_on": "2024-05-01", "condition_rating": 3, "replacement_cost": 100000,
		"deferred_maintenance_cost": 7000})
	b.shows(t, fields{"replacement_cost": 100000, "replacement_cost_year": 2024, "deferred_maintenance_cost": 7000})
	want := fields{"replacement_cost": 130000, "replacement_cost_year": 2026, "deferred_maintenance_cost": 0,
		"replacement_cost_as_of": resource.Today(t.Context()), "deferred_maintenance_as_of": resource.Today(t.Context())}
	resourcetest.Expect(t, b.patch(t, fields{"replacement_cost": 130000, "replacement_cost_year": 2026, "deferred_maintenance_cost": 0}), want)
	client.Must(t, http.StatusOK, "PATCH", assessment, fields{"notes": "À revoir"})
	b.shows(t, want)
	b.assess(t, fields{"assessed_on": "2019-05-01", "condition_rating": 2})
	b.shows(t, want)
}

func TestADeletedAssessmentTakesItsMoneyAlong(t *testing.T) {
	t.Parallel()
	client := serve(t)
	b := newBook(t, client, fields{"replacement_cost": 50000})
	b.shows(t, fields{"replacement_cost_as_of": nil})
	wrong := b.assess(t, fields{"assessed_on": "2026-05-01", "condition_rating": 4, "replacement_cost": 900000,
		"deferred_maintenance_cost": 10000})
	b.shows(t, fields{"replacement_cost": 900000, "deferred_maintenance_cost": 10000, "replacement_cost_as_of": "2026-05-01",
		"deferred_maintenance_as_of": "2026-05-01"})
	client.Must(t, http.StatusNoContent, "DELETE", wrong, nil)
	b.shows(t, fields{"condition_rating": nil, "replacement_cost": 50000, "replacement_cost_year": nil, "deferred_maintenance_cost": nil,
		"replacement_cost_as_of": nil, "deferred_maintenance_as_of": nil})
}

func TestCostsOnTheAssetItself(t *testing.T) {
	t.Parallel()
	client, today := serve(t), resource.Today(t.Context())
	b := newBook(t, client, fields{"replacement_cost": 50000, "replacement_cost_year": 2025, "deferred_maintenance_cost": 10})
	b.shows(t, fields{"replacement_cost_as_of": "2025-01-01", "deferred_maintenance_as_of": "2025-01-01"})
	b.assess(t, fields{"assessed_on": "2024-12-31", "condition_rating": 4, "replacement_cost": 40000})
	b.shows(t, fields{"replacement_cost": 50000, "replacement_cost_year": 2025})
	b.assess(t, fields{"assessed_on": "2025-01-01", "condition_rating": 4, "replacement_cost": 45000})
	b.shows(t, fields{"replacement_cost": 50000, "replacement_cost_year": 2025})
	latest := b.assess(t, fields{"assessed_on": "2025-06-01", "condition_rating": 4, "replacement_cost": 60000,
		"deferred_maintenance_cost": 20})
	// Each cost by itself, and the day of what is shown may be set to a later one.
	resourcetest.Expect(t, b.patch(t, fields{"replacement_cost": 70000, "replacement_cost_as_of": "2025-05-31"}),
		fields{"replacement_cost": 60000, "replacement_cost_as_of": "2025-06-01", "deferred_maintenance_cost": 20})
	resourcetest.Expect(t, b.patch(t, fields{"replacement_cost_as_of": "2025-07-01"}),
		fields{"replacement_cost": 60000, "replacement_cost_year": 2025, "replacement_cost_as_of": "2025-07-01"})
	client.Must(t, http.StatusNoContent, "DELETE", latest, nil)
	b.shows(t, fields{"replacement_cost": 60000, "replacement_cost_as_of": "2025-07-01", "deferred_maintenance_cost": 10})
	// Null: not known since today.
	resourcetest.Expect(t, b.patch(t, fields{"replacement_cost": nil}), fields{"replacement_cost": nil, "replacement_cost_as_of": today})
	b.assess(t, fields{"assessed_on": "2026-02-01", "condition_rating": 4, "replacement_cost": 80000})
	b.shows(t, fields{"replacement_cost": nil, "condition_assessed_on": "2026-02-01"})
	// A day that is left out, or null, is none; a year that is left out stays.
	resourcetest.Expect(t, b.patch(t, fields{"deferred_maintenance_cost": 10, "deferred_maintenance_as_of": nil}),
		fields{"deferred_maintenance_as_of": "2025-01-01"})
	other := newBook(t, client, fields{"replacement_cost": 1, "replacement_cost_year": 2020})
	resourcetest.Expect(t, other.patch(t, fields{"replacement_cost": 2}),
		fields{"replacement_cost": 2, "replacement_cost_year": 2020, "replacement_cost_as_of": today})
	resourcetest.Expect(t, other.patch(t, fields{"replacement_cost_year": 2021}), fields{"replacement_cost": 2, "replacement_cost_year": 2021})
}

func TestBadStatementsAreRefused(t *testing.T) {
	t.Parallel()
	client := serve(t)
	tomorrow := time.Now().AddDate(0, 0, 2).Format(time.DateOnly)
	b := newBook(t, client, fields{})
	for _, c := range []struct {
		name, refused string
		body          fields
	}{
		{"a rating in the future", "condition_assessed_on", fields{"condition_rating": 2, "condition_assessed_on": tomorrow}},
		{"a day without a rating", "condition_assessed_on", fields{"condition_assessed_on": "2020-05-01"}},
		{"a method without a rating", "condition_method", fields{"condition_method": "visual"}},
		{"an unknown method", "condition_method", fields{"condition_rating": 2, "condition_method": "divination"}},
		{"a cost in the future", "replacement_cost_as_of", fields{"replacement_cost": 2, "replacement_cost_as_of": tomorrow}},
		{"a deferral in the future", "deferred_maintenance_as_of",
			fields{"deferred_maintenance_cost": 2, "deferred_maintenance_as_of": tomorrow}},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := b.Must(t, http.StatusOK, "GET", b.path, nil).JSON
			body := maps.Clone(c.body)
			body["name"] = "Porte"
			for method, path := range map[string]string{"POST": "/v1/assets", "PATCH": b.path} {
				if answer := client.Must(t, http.StatusBadRequest, method, path, body); !slices.Equal(answer.Fields(), []string{c.refused}) {
					t.Errorf("%s: refused %v, want %s", method, answer.Fields(), c.refused)
				}
			}
			b.shows(t, before)
		})
	}
	b.count(t, 0)
}

// A row that is refused writes no statement, and the others write theirs.
func TestARefusedRowSaysNothing(t *testing.T) {
	t.Parallel()
	client := serve(t)
	taken := newBook(t, client, fields{"barcode": "1"})
	one, two := newBook(t, client, fields{"external_id": "1"}), newBook(t, client, fields{"external_id": "2"})
	client.Must(t, http.StatusOK, "PATCH", "/v1/assets/bulk?atomic=false", fields{"data": []fields{
		{"external_id": "1", "condition_rating": 4, "replacement_cost": 7, "barcode": "1"},
		{"external_id": "2", "condition_rating": 4, "replacement_cost": 7},
	}})
	one.count(t, 0)
	two.count(t, 1)
	taken.count(t, 0)
	one.assess(t, fields{"assessed_on": "2020-05-01", "condition_rating": 1})
	one.shows(t, fields{"condition_rating": 1, "replacement_cost": nil, "replacement_cost_as_of": nil})
	two.shows(t, fields{"condition_rating": 4, "replacement_cost": 7})
}

// However the same statements are loaded, the record says the same.
func TestTheOrderOfLoadingDoesNotMatter(t *testing.T) {
	t.Parallel()
	client, random := serve(t), rand.New(rand.NewPCG(588, 17))
	methods := []string{"visual", "detailed", "reported", "age_based"}
	derived := []string{"condition_rating", "condition_assessed_on", "condition_method", "reported_condition_rating", "replacement_cost",
		"replacement_cost_year", "replacement_cost_as_of", "deferred_maintenance_cost", "deferred_maintenance_as_of"}
	type statement struct {
		assessment bool
		body       fields
	}
	for portfolio := range 8 {
		var statements []statement
		for i, month := range random.Perm(100)[:6] {
			on := time.Date(2015, time.Month(1+month), 28, 0, 0, 0, 0, time.UTC).Format(time.DateOnly)
			s := statement{i%2 == 0, fields{}}
			if s.assessment {
				s.body = fields{"assessed_on": on, "condition_rating": 1 + random.IntN(5), "method": methods[random.IntN(4)]}
			} else {
				s.body = fields{"condition_assessed_on": on, "condition_rating": 1 + random.IntN(5), "condition_method": methods[random.IntN(4)],
					"replacement_cost_as_of": on, "deferred_maintenance_as_of": on, "replacement_cost": random.IntN(3), "replacement_cost_year": 2000 + i}
			}
			if random.IntN(2) == 0 {
				s.body["replacement_cost"] = random.IntN(3)
			}
			if !s.assessment || random.IntN(2) == 0 {
				s.body["deferred_maintenance_cost"] = random.IntN(3)
			}
			statements = append(statements, s)
		}
		var want fields
		for range 4 {
			b := newBook(t, client, fields{})
			for _, s := range statements {
				if s.assessment {
					b.assess(t, s.body)
				} else {
					b.patch(t, s.body)
				}
			}
			got := fields{}
			record := b.Must(t, http.StatusOK, "GET", b.path, nil).JSON
			for _, name := range derived {
				got[name] = record[name]
			}
			if want == nil {
				want = got
			}
			if !maps.Equal(got, want) {
				t.Fatalf("portfolio %d: %v give %v, in another order %v", portfolio, statements, got, want)
			}
			random.Shuffle(len(statements), func(i, j int) { statements[i], statements[j] = statements[j], statements[i] })
		}
	}
}
