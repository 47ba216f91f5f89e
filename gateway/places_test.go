package gateway

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"ams.internal/libs/principal"
	"ams.internal/libs/testwait"
)

// openPlace takes a place for a page as the settings screens do. It has it until the page is left.
func (o *peopleFixture) openPlace(t *testing.T, p principal.Principal, body string) (status int, refusal map[string]any, leave func()) {
	t.Helper()
	ctx, hangUp := context.WithCancel(t.Context())
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, o.internal+"/internal/places", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set(principal.Header, o.signer.Sign(p))
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	if response.StatusCode == http.StatusOK {
		return response.StatusCode, nil, func() { hangUp(); _ = response.Body.Close() }
	}
	defer hangUp()
	defer func() { _ = response.Body.Close() }()
	content, err := io.ReadAll(response.Body)
	if err != nil || json.Unmarshal(content, &refusal) != nil {
		t.Fatalf("%s: %v", content, err)
	}
	return response.StatusCode, refusal, hangUp
}

// Pages of the settings screens are among the requests in progress of their organization, and exports among its streams.
func TestPagesOfTheSettingsScreensHaveThePlacesOfTheirOrganization(t *testing.T) {
	o := newPeopleFixture(t)
	key := o.created(t, `{"name": "Power BI", "scopes": ["assets:read"]}`)["value"].(string)
	o.ceilings(people.organization, "requests_in_flight = 3, streams = 1")
	ada, max := console(people.ada, "Ada", "administrator"), console(people.max, "Max", "member")
	status, _, export := o.openPlace(t, ada, `{"stream": true}`)
	if status != 200 {
		t.Fatalf("the first export: %d", status)
	}
	if status, refusal, _ := o.openPlace(t, ada, `{"stream": true}`); status != 429 || refusal["code"] != "too_many_streams" {
		t.Errorf("the second export: %d %v", status, refusal)
	}
	_, _, first := o.openPlace(t, ada, `{"stream": false}`)
	status, _, second := o.openPlace(t, max, `{}`)
	if status != 200 {
		t.Errorf("the second page: %d", status)
	}
	status, refusal, _ := o.openPlace(t, max, `{}`)
	if status != 429 || refusal["code"] != "too_many_in_flight" || refusal["request_id"] == "" {
		t.Errorf("the third page beside an export: %d %v", status, refusal)
	}
	o.expect(t, key, 429, "too_many_in_flight")
	export()
	testwait.For(t, 10*time.Second, "a page that is left gives its place back", func() bool {
		return call(t, "GET", o.url+"/v1/assets", key).StatusCode == 200
	})
	testwait.For(t, 10*time.Second, "and that of its stream", func() bool {
		status, _, again := o.openPlace(t, ada, `{"stream": true}`)
		again()
		return status == 200
	})
	first()
	second()

	// No count of a minute refuses a page: who revokes a key that sends too much must get in.
	o.ceilings(people.organization, "requests_per_minute = 1, requests_in_flight = 60")
	for range 5 {
		if status, refusal, page := o.openPlace(t, ada, `{}`); status != 200 {
			t.Errorf("a page: %d %v", status, refusal)
		} else {
			page()
		}
	}
	elsewhere := ada
	elsewhere.Origin = "mcp"
	withKey := principal.Principal{OrganizationID: people.organization, Origin: "console",
		Actor: principal.Actor{Type: "api_key", ID: newID()}}
	for name, p := range map[string]principal.Principal{"not of the screens": elsewhere, "a key": withKey} {
		if status, _, _ := o.openPlace(t, p, `{}`); status != 403 {
			t.Errorf("%s: %d", name, status)
		}
	}
}
