package main

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
)

func TestSettingsOfAnOrganizationAreSet(t *testing.T) {
	requested := adminService(t)
	code, out, errOut := amsctl(t.Context(), "organizations", "set", "org-1", "--time-zone", "America/Halifax", "--fiscal-year-end-month", "3",
		"--land-area-km2", "120.5000", "--output", "table")
	if code != 0 || errOut != "" {
		t.Fatalf("exit %d: %s", code, errOut)
	}
	for _, line := range []string{"time zone +America/Halifax", "fiscal year ends in month +3", `land area \(km²\) +120.5`, "currency +CAD"} {
		if !regexp.MustCompile(`(?m)^` + line + `$`).MatchString(out) {
			t.Errorf("%q is not in\n%s", line, out)
		}
	}
	if code, _, errOut := amsctl(t.Context(), "organizations", "set", "org-1", "--jurisdiction", "riviere-claire.ca",
		"--contact-retention-days", "30", "--public-requests-per-link", "120", "--public-requests-per-day", "20000"); code != 0 {
		t.Errorf("exit %d: %s", code, errOut)
	}
	amsctl(t.Context(), "organizations", "set", "org-1", "--jurisdiction", "none")
	amsctl(t.Context(), "organizations", "set", "org-1", "--renewal-basis", "typed_or_life", "--fci-bands", "4,9.5,30")
	amsctl(t.Context(), "organizations", "set", "org-1", "--fci-bands", "none")
	amsctl(t.Context(), "organizations", "set", "org-1", "--fci-bands", "many")
	code, out, _ = amsctl(t.Context(), "organizations", "set", "org-1", "--land-area-km2", "none", "--output", "json")
	var shown map[string]any
	if err := json.Unmarshal([]byte(out), &shown); code != 0 || err != nil || shown["time_zone"] != "America/Halifax" {
		t.Errorf("exit %d: %s, %v", code, out, err)
	}
	const path = "PATCH /internal/organizations/org-1/settings Bearer operator-token "
	want := path + `{"fiscal_year_end_month":3,"land_area_km2":120.5000,"time_zone":"America/Halifax"}` + "\n" +
		path + `{"contact_retention_days":30,"jurisdiction_id":"riviere-claire.ca","public_requests_per_day":20000,` +
		`"public_requests_per_link":120}` + "\n" +
		path + `{"jurisdiction_id":null}` + "\n" +
		path + `{"fci_bands":[4,9.5,30],"renewal_basis":"typed_or_life"}` + "\n" +
		path + `{"fci_bands":null}` + "\n" + path + `{"land_area_km2":null}`
	if got := strings.Join(*requested, "\n"); got != want {
		t.Errorf("asked\n%s", got)
	}
}
