package reference_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"

	"ams.internal/libs/discovery"
	"ams.internal/libs/fault"
	"ams.internal/libs/principal"
	"ams.internal/libs/reference"
)

// askingGateway gives a client that finds the gateway's internal listener at handler, which gets the caller with each request.
func askingGateway(t *testing.T, handler func(w http.ResponseWriter, r *http.Request, p principal.Principal)) *reference.Client {
	t.Helper()
	signer, err := principal.NewSigner("a secret for tests that is long enough")
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/livez" { // asked of who takes long
			return
		}
		p, err := signer.Verify(r.Header.Get(principal.Header))
		if err != nil || p.Actor.Type != "service" || p.Actor.ID != "los" {
			t.Errorf("asked by %+v, %v", p, err)
		}
		handler(w, r, p)
	}))
	t.Cleanup(server.Close)
	directory, err := discovery.Open(discovery.Config{Mode: discovery.Static, Region: "ca-central-1",
		Static: map[string][]string{"gateway-internal": {strings.TrimPrefix(server.URL, "http://")}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(directory.Close)
	return reference.NewClient(directory, signer)
}

func TestAServiceReadsTheSettingsOfTheCallersOrganization(t *testing.T) {
	land := `120.5`
	client := askingGateway(t, func(w http.ResponseWriter, r *http.Request, p principal.Principal) {
		if p.OrganizationID != someone.OrganizationID || r.Method != "GET" ||
			r.URL.Path != "/internal/organizations/"+someone.OrganizationID+"/settings" {
			t.Errorf("%s %s for %+v", r.Method, r.URL.Path, p)
		}
		_, _ = io.WriteString(w, `{"time_zone":"America/Halifax","fiscal_year_end_month":3,"land_area_km2":`+land+`,"currency":"CAD"}`)
	})
	asKey := someone // a request that came with a key: the service asks for itself
	asKey.Actor = principal.Actor{Type: "api_key", ID: "k", Name: "BI"}
	ctx := principal.Into(t.Context(), asKey)
	found, err := client.Settings(ctx, "los")
	if err != nil || found.TimeZone != "America/Halifax" || found.FiscalYearEndMonth != 3 || found.LandArea == nil ||
		*found.LandArea != "120.5" || found.Currency != "CAD" {
		t.Errorf("%+v, %v", found, err)
	}
	land = `null`
	if found, err = client.Settings(ctx, "los"); err != nil || found.LandArea != nil {
		t.Errorf("an area that is not known: %+v, %v", found, err)
	}
}

func TestSettingsOfAGatewayThatIsAwayAreA503(t *testing.T) {
	client := askingGateway(t, func(w http.ResponseWriter, _ *http.Request, _ principal.Principal) {
		w.WriteHeader(http.StatusBadGateway)
	})
	_, err := client.Settings(principal.Into(t.Context(), someone), "los")
	if refusal := (*fault.Error)(nil); !errors.As(err, &refusal) || refusal.Kind != fault.KindUnavailable {
		t.Errorf("%v", err)
	}
}

func TestAllOrganizationsAreReadPageByPage(t *testing.T) {
	client := askingGateway(t, func(w http.ResponseWriter, r *http.Request, p principal.Principal) {
		page := r.URL.Query().Get("page")
		if p.OrganizationID != "" || r.URL.Path != "/internal/organizations" || r.URL.Query().Get("per_page") != "100" {
			t.Errorf("%s for %+v", r.URL, p)
		}
		_, _ = fmt.Fprintf(w, `{"data":[{"id":"o%s","name":"x","currency":"CAD","time_zone":"America/Regina","fiscal_year_end_month":8,
			"features":["los"]}],"pagination":{"page":%s,"per_page":100,"total":201,"total_pages":3}}`, page, page)
	})
	found, err := client.Organizations(t.Context(), "los")
	if err != nil || len(found) != 3 || found[2].ID != "o3" {
		t.Fatalf("%+v, %v", found, err)
	}
	want := principal.Principal{OrganizationID: "o1", Currency: "CAD", TimeZone: "America/Regina", FiscalYearEnd: 8,
		Actor: principal.Actor{Type: "service", ID: "los", Name: "los"}, Features: []string{"los"}}
	if got := found[0].Principal("los"); !reflect.DeepEqual(got, want) {
		t.Errorf("the service is %+v", got)
	}
}
