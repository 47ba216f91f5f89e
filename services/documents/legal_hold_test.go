package documents

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"ams.internal/libs/principal"
	"ams.internal/libs/resource/resourcetest"
	"ams.internal/libs/testwait"
)

const holdsURL = "/v1/legal-holds"

// newHold makes a legal hold, and gives its id.
func newHold(t *testing.T, client *resourcetest.Client, name string, on fields) string {
	t.Helper()
	body := fields{"name": name, "reason": "Claim of 2026-05-04"}
	for field, value := range on {
		body[field] = value
	}
	return client.Create(t, holdsURL, body)["id"].(string)
}

// holds checks how many documents a legal hold keeps.
func (f *fixture) holds(t *testing.T, hold string, want int) {
	t.Helper()
	_, pagination := f.List(t, "/v1/documents?status=draft,active,trashed&legal_hold_id="+hold)
	resourcetest.Expect(t, pagination, fields{"total": want})
}

func TestADocumentUnderALegalHoldIsKeptUntilItIsReleased(t *testing.T) {
	f := newFixture(t)
	a := upload(t, f.Client, http.StatusCreated, "a.txt", []byte("a"), nil).JSON["id"].(string)
	b := upload(t, f.Client, http.StatusCreated, "b.txt", []byte("b"), nil).JSON["id"].(string)
	hold := newHold(t, f.Client, "Smith, Roy v. Ville", fields{"document_ids": []string{a}})
	resourcetest.Expect(t, f.Must(t, http.StatusOK, "GET", "/v1/documents/"+a, nil).JSON, fields{"legal_holds": []any{hold}})
	refused := f.Must(t, http.StatusConflict, "DELETE", "/v1/documents/"+a, nil)
	resourcetest.Expect(t, refused.JSON, fields{"code": "legal_hold", "field": "legal_holds", "value": []any{"Smith, Roy v. Ville"}})
	for query, want := range map[string][]string{"held=true": {a}, "held=false": {b}, "legal_hold_id=" + hold: {a},
		"legal_hold_id=" + uuid.NewString(): nil} {
		var got []string
		list, _ := f.List(t, "/v1/documents?"+query)
		for _, document := range list {
			got = append(got, document["id"].(string))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", query, got, want)
		}
	}
	// A PATCH replaces what is held; one of something else leaves it.
	f.Must(t, http.StatusOK, "PATCH", holdsURL+"/"+hold, fields{"document_ids": []string{b}})
	f.Must(t, http.StatusOK, "PATCH", holdsURL+"/"+hold, fields{"reason": "Claim of 2026-05-05"})
	resourcetest.Expect(t, f.Must(t, http.StatusOK, "GET", holdsURL+"/"+hold, nil).JSON, fields{"status": "active"})
	f.holds(t, hold, 1)
	f.Must(t, http.StatusNoContent, "DELETE", "/v1/documents/"+a, nil)
	f.Must(t, http.StatusConflict, "DELETE", "/v1/documents/"+b, nil)
	resourcetest.Expect(t, f.Must(t, http.StatusConflict, "DELETE", holdsURL+"/"+hold, nil).JSON, fields{"code": "hold_active"})
	released := f.Must(t, http.StatusOK, "PATCH", holdsURL+"/"+hold, fields{"status": "released"})
	if at, err := time.Parse(time.RFC3339, fmt.Sprint(released.JSON["released_at"])); err != nil || time.Since(at) > time.Minute {
		t.Errorf("released: %s", released.Body)
	}
	f.Must(t, http.StatusConflict, "PATCH", holdsURL+"/"+hold, fields{"status": "active"})
	resourcetest.Expect(t, f.Must(t, http.StatusConflict, "PATCH", holdsURL+"/"+hold, fields{"document_ids": []string{b}}).JSON,
		fields{"code": "hold_released"})
	resourcetest.Expect(t, f.Must(t, http.StatusOK, "GET", "/v1/documents/"+b, nil).JSON, fields{"legal_holds": []any{}})
	f.Must(t, http.StatusNoContent, "DELETE", "/v1/documents/"+b, nil)
	f.Must(t, http.StatusNoContent, "DELETE", holdsURL+"/"+hold, nil)
}

func TestALegalHoldOnARecordHoldsWhatComesLater(t *testing.T) {
	f := newFixture(t)
	early := upload(t, f.Client, http.StatusCreated, "a.txt", []byte("a"), nil).Header.Get("Location")
	hold := newHold(t, f.Client, "Boiler", fields{"collection": "assets", "record_id": boiler})
	late := upload(t, f.Client, http.StatusCreated, "b.txt", []byte("b"), nil).Header.Get("Location")
	linked := upload(t, f.Client, http.StatusCreated, "c.txt", []byte("c"), fields{"record_id": pump}).Header.Get("Location")
	f.Must(t, http.StatusNoContent, "DELETE",
		upload(t, f.Client, http.StatusCreated, "d.txt", []byte("d"), fields{"record_id": pump}).Header.Get("Location"), nil)
	link := f.Create(t, linked+"/links", fields{"collection": "assets", "record_id": boiler})["id"].(string)
	for _, path := range []string{early, late, linked} {
		resourcetest.Expect(t, f.Must(t, http.StatusConflict, "DELETE", path, nil).JSON, fields{"code": "legal_hold"})
	}
	f.holds(t, hold, 3)
	// They stay on the record: neither moved nor unlinked.
	resourcetest.Expect(t, f.Must(t, http.StatusConflict, "PATCH", early, fields{"record_id": pump}).JSON, fields{"code": "legal_hold"})
	resourcetest.Expect(t, f.Must(t, http.StatusConflict, "DELETE", linked+"/links/"+link, nil).JSON, fields{"code": "legal_hold"})
	resourcetest.Expect(t, f.Must(t, http.StatusConflict, "PATCH", linked+"/links/"+link,
		fields{"collection": "buildings", "record_id": building}).JSON, fields{"code": "legal_hold"})
	// On documents instead, and then on those of another record.
	f.Must(t, http.StatusOK, "PATCH", holdsURL+"/"+hold,
		fields{"collection": nil, "record_id": nil, "document_ids": []string{early[len("/v1/documents/"):]}})
	f.Must(t, http.StatusNoContent, "DELETE", late, nil)
	f.Must(t, http.StatusConflict, "DELETE", early, nil)
	f.Must(t, http.StatusOK, "PATCH", holdsURL+"/"+hold, fields{"collection": "assets", "record_id": pump})
	f.Must(t, http.StatusNoContent, "DELETE", early, nil)
	resourcetest.Expect(t, f.Must(t, http.StatusConflict, "DELETE", linked, nil).JSON, fields{"code": "legal_hold"})
}

func TestWhatALegalHoldCanBeOn(t *testing.T) {
	f := newFixture(t)
	mine := upload(t, f.Client, http.StatusCreated, "a.txt", []byte("a"), nil).JSON["id"].(string)
	other := f.Other()
	theirs := upload(t, other, http.StatusCreated, "a.txt", []byte("a"), nil).JSON["id"].(string)
	onOrder := upload(t, f.Client, http.StatusCreated, "b.txt", []byte("b"),
		fields{"collection": "work_orders", "record_id": order}).JSON["id"].(string)
	assets := *f.Client
	assets.Principal.Scopes = []string{"legal_holds:read", "legal_holds:write", "documents:read", "assets:read"}
	many := make([]string, 10_001)
	for i := range many {
		many[i] = uuid.NewString()
	}
	for name, c := range map[string]struct {
		client *resourcetest.Client
		on     fields
		field  string
	}{
		"nothing":      {f.Client, fields{}, "document_ids"},
		"no documents": {f.Client, fields{"document_ids": []string{}}, "document_ids"},
		"documents and a record": {f.Client, fields{"document_ids": []string{mine}, "collection": "assets", "record_id": boiler},
			"document_ids"},
		"no record":                {f.Client, fields{"collection": "assets"}, "record_id"},
		"a record that nobody has": {f.Client, fields{"collection": "assets", "record_id": nobodys}, "record_id"},
		"nobody's document":        {f.Client, fields{"document_ids": []string{mine, nobodys}}, "document_ids"},
		"another organization's":   {f.Client, fields{"document_ids": []string{theirs}}, "document_ids"},
		"one that is not seen":     {&assets, fields{"document_ids": []string{onOrder}}, "document_ids"},
		"10,001":                   {f.Client, fields{"document_ids": many}, "document_ids"},
		"no ids":                   {f.Client, fields{"document_ids": []string{"x"}}, "document_ids[0]"},
	} {
		c.on["name"], c.on["reason"] = "A", "B"
		refused := c.client.Refused(t, "POST", holdsURL, c.on)
		if !slices.Contains(refused.Fields(), c.field) {
			t.Errorf("%s: %s", name, refused.Body)
		}
	}
	refused := assets.Must(t, http.StatusForbidden, "POST", holdsURL,
		fields{"name": "A", "reason": "B", "collection": "work_orders", "record_id": order})
	resourcetest.Expect(t, refused.JSON, fields{"required_scope": "work_orders:read"})
	noHolds := *f.Client
	noHolds.Principal.Scopes = []string{"documents:read", "documents:write", "assets:read", "assets:write"}
	refused = noHolds.Must(t, http.StatusForbidden, "POST", holdsURL, fields{"name": "A", "reason": "B", "document_ids": []string{mine}})
	resourcetest.Expect(t, refused.JSON, fields{"required_scope": "legal_holds:write"})
	if list, _ := f.List(t, holdsURL); len(list) != 0 {
		t.Errorf("what was refused has left %v", list)
	}
	// A document in the trash can be held, and 10,000 at once.
	f.Must(t, http.StatusNoContent, "DELETE", "/v1/documents/"+mine, nil)
	f.holds(t, newHold(t, f.Client, "A", fields{"document_ids": []string{mine}}), 1)
	bodies := make([]any, 0, 1000)
	var ids []string
	for i := range 10_000 {
		if bodies = append(bodies, fields{"collection": "assets", "record_id": boiler, "title": fmt.Sprint(i)}); len(bodies) == 1000 {
			for _, result := range f.Must(t, http.StatusOK, "POST", "/v1/documents/bulk", fields{"data": bodies}).JSON["results"].([]any) {
				ids = append(ids, result.(fields)["id"].(string))
			}
			bodies = bodies[:0]
		}
	}
	f.holds(t, newHold(t, f.Client, "All", fields{"document_ids": ids}), 10_000)
}

// A hold that is being made waits for deletes under way, and deletes wait for it: none slips between.
func TestNoDeleteSlipsPastALegalHold(t *testing.T) {
	f := newFixture(t)
	a := upload(t, f.Client, http.StatusCreated, "a.txt", []byte("a"), nil).JSON["id"].(string)
	making, made := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(made)
		err := f.registry.DB.Write(principal.Into(context.WithoutCancel(t.Context()), f.Principal), func(ctx context.Context, tx pgx.Tx) error {
			if _, err := f.registry.Create(ctx, tx, "legal_holds", "", fields{"name": "A", "reason": "B", "document_ids": []any{a}}); err != nil {
				return err
			}
			close(making)
			testwait.For(t, 10*time.Second, "the delete to wait for the hold", func() bool {
				var waiting bool
				err := tx.QueryRow(ctx, "SELECT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted)").Scan(&waiting)
				return err == nil && waiting
			})
			return nil
		})
		if err != nil {
			t.Errorf("make the hold: %v", err)
		}
	}()
	<-making
	resourcetest.Expect(t, f.Must(t, http.StatusConflict, "DELETE", "/v1/documents/"+a, nil).JSON, fields{"code": "legal_hold"})
	<-made
}
