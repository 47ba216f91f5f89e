package console

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"ams.internal/libs/calendar"
	"ams.internal/libs/fault"
)

const organizationPath = "/settings/organization"

func settingsForm(zone, month, area string) url.Values {
	return url.Values{"time_zone": {zone}, "fiscal_year_end_month": {month}, "land_area_km2": {area}, "contact_retention_days": {"365"},
		"public_requests_per_link": {"60"}, "public_requests_per_day": {"1000"},
		"renewal_basis": {"typed"}, "fci_bands": {""}}
}

// present is what the gateway has.
func (f *fixture) present() map[string]any {
	f.mu.Lock()
	defer f.mu.Unlock()
	return map[string]any{"time_zone": f.settings["time_zone"], "month": f.settings["fiscal_year_end_month"],
		"area": f.settings["land_area_km2"]}
}

func TestAnAdministratorChangesTheSettings(t *testing.T) {
	f := newFixture(t)
	b := f.signedIn()
	body := b.get(organizationPath).body
	for _, part := range []string{`value="America/Toronto" list="zones"`, `<option value="12" selected>December</option>`, `<dd>CAD `,
		`<option value="America/St_Johns">`, `id="land_area_km2" name="land_area_km2" type="text" value=""`} {
		if !strings.Contains(body, part) {
			t.Errorf("the page does not have %s", part)
		}
	}
	resp := b.post(organizationPath, settingsForm(" America/Halifax ", "8", "1 120.5"))
	if resp.status != http.StatusSeeOther || resp.header.Get("Location") != organizationPath+"?done=organization_saved" {
		t.Fatalf("%d to %s", resp.status, resp.header.Get("Location"))
	}
	if got := f.present(); got["time_zone"] != "America/Halifax" || got["month"] != 8.0 || got["area"] != 1120.5 {
		t.Errorf("the gateway has %v", got)
	}

	// Today and the fiscal year follow.
	of := calendar.Calendar{TimeZone: "America/Halifax", FiscalYearEndMonth: 8}
	all, err := loadLanguages()
	if err != nil {
		t.Fatal(err)
	}
	shown := func(day string) string {
		at, err := time.Parse(time.DateOnly, day)
		if err != nil {
			t.Fatal(err)
		}
		return all[0].day(at)
	}
	before := of.Today()
	body = b.get(organizationPath + "?done=organization_saved").body
	from, to := of.Period(of.FiscalYear(before))
	if today := of.Today(); today == before { // else midnight has just passed there
		for _, part := range []string{"<strong>" + shown(today) + "</strong>", of.Label(of.FiscalYear(today)) + ", from " +
			shown(from) + " to " + shown(to),
			`value="1120.5"`, `<option value="8" selected>August</option>`, "The settings are saved"} {
			if !strings.Contains(body, part) {
				t.Errorf("the page does not say %s", part)
			}
		}
	}

	if b.post(organizationPath, settingsForm("America/Halifax", "8", " ")); f.present()["area"] != nil {
		t.Errorf("an area that is left empty stays: %v", f.present())
	}
}

func TestAnAdministratorSaysWhatHoldsForPeopleWithoutAKey(t *testing.T) {
	f := newFixture(t)
	b := f.signedIn()
	f.settings["jurisdiction_id"] = "riviere-claire.ca"
	body := b.get(organizationPath).body
	for _, part := range []string{"<code>riviere-claire.ca</code>", `name="contact_retention_days" type="text" value="365"`,
		`name="public_requests_per_link" type="text" value="60"`, `name="public_requests_per_day" type="text" value="1000"`} {
		if !strings.Contains(body, part) {
			t.Errorf("the page does not have %s", part)
		}
	}
	given := settingsForm("America/Toronto", "12", "")
	given.Set("contact_retention_days", " 90 ")
	given.Set("public_requests_per_day", "20000")
	if resp := b.post(organizationPath, given); resp.status != http.StatusSeeOther || f.settings["contact_retention_days"] != 90.0 ||
		f.settings["public_requests_per_link"] != 60.0 || f.settings["public_requests_per_day"] != 20000.0 {
		t.Errorf("%d: the gateway has %v", resp.status, f.settings)
	}
	if _, told := f.settings["jurisdiction_id"]; !told || f.settings["jurisdiction_id"] != "riviere-claire.ca" {
		t.Errorf("the gateway has %v", f.settings)
	}
	given.Set("contact_retention_days", "a year")
	if resp := b.post(organizationPath, given); resp.status != http.StatusBadRequest ||
		!strings.Contains(resp.body, `id="contact_retention_days-problem"`) {
		t.Errorf("%d %s", resp.status, resp.body)
	}
}

func TestTheLandAreaIsWrittenAsTheLanguageDoes(t *testing.T) {
	f := newFixture(t)
	b := f.signedIn()
	b.post("/settings/language", url.Values{"language": {"fr"}})
	if resp := b.post(organizationPath, settingsForm("America/Toronto", "12", "1\u202f120,5")); resp.status != http.StatusSeeOther ||
		f.present()["area"] != 1120.5 {
		t.Errorf("%d, %v", resp.status, f.present())
	}
	body := b.get(organizationPath).body
	if !strings.Contains(body, `value="1120,5"`) || !strings.Contains(body, "<h1>Organisation</h1>") ||
		!strings.Contains(body, ">décembre</option>") {
		t.Errorf("%s", body)
	}
}

// bandsForm has bands of the FCI, and renewals by lives.
func bandsForm(bands string) url.Values {
	form := settingsForm("America/Toronto", "12", "")
	form.Set("renewal_basis", "typed_or_life")
	form.Set("fci_bands", bands)
	return form
}

func TestAnAdministratorChangesWhatNeedsFollowFrom(t *testing.T) {
	f := newFixture(t)
	b := f.signedIn()
	if body := b.get(organizationPath).body; !strings.Contains(body, `<option value="typed" selected>`) ||
		!strings.Contains(body, `name="fci_bands" type="text" value=""`) {
		t.Errorf("the page does not have what is in force: %s", body)
	}
	if resp := b.post(organizationPath, bandsForm("4; 9.5;30")); resp.status != http.StatusSeeOther {
		t.Fatalf("%d: %s", resp.status, resp.body)
	}
	f.mu.Lock()
	basis, bands := f.settings["renewal_basis"], fmt.Sprint(f.settings["fci_bands"])
	f.mu.Unlock()
	if basis != "typed_or_life" || bands != "[4 9.5 30]" {
		t.Errorf("the gateway has %v, %v", basis, bands)
	}
	if body := b.get(organizationPath).body; !strings.Contains(body, `<option value="typed_or_life" selected>`) ||
		!strings.Contains(body, `value="4; 9.5; 30"`) {
		t.Errorf("the page does not have what was set: %s", body)
	}
	b.post(organizationPath, bandsForm(""))
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.settings["fci_bands"] != nil {
		t.Errorf("emptied, the gateway has %v", f.settings["fci_bands"])
	}
}

func TestSettingsThatAreWrongAreSaidAtTheirFields(t *testing.T) {
	f := newFixture(t)
	b := f.signedIn()
	every := fault.InvalidFields(fault.Field{Field: "fiscal_year_end_month", Message: "no"},
		fault.Field{Field: "land_area_km2", Message: "no"}, fault.Field{Field: "time_zone", Message: "no"})
	for name, row := range map[string]struct {
		form    url.Values
		refusal *fault.Error // of the gateway
		says    []string
	}{
		"no number":        {settingsForm("America/Toronto", "12", "large"), nil, []string{`id="land_area_km2-problem"`}},
		"an English comma": {settingsForm("America/Toronto", "12", "1,250"), nil, []string{`id="land_area_km2-problem"`}},
		"no bands":         {bandsForm("5; ten; 30"), nil, []string{`id="fci_bands-problem"`, `value="5; ten; 30"`}},
		"bands that only the gateway refuses": {bandsForm("5; 10"), fault.InvalidFields(fault.Field{Field: "fci_bands", Message: "no"}),
			[]string{`id="fci_bands-problem"`}},
		"no month": {settingsForm("America/Toronto", "", ""), nil, []string{"Choose a month."}},
		"what only the gateway says": {settingsForm("America/Nowhere", "13", "0"), every,
			[]string{`id="time_zone-problem"`, `value="America/Nowhere"`, "Choose a month.", `id="land_area_km2-problem"`}},
		"something else": {settingsForm("America/Toronto", "12", ""), fault.Invalid("odd", "Something else is wrong."),
			[]string{"Something else is wrong.", "were not accepted"}},
	} {
		f.mu.Lock()
		f.nextRefusal = row.refusal
		f.mu.Unlock()
		resp := b.post(organizationPath, row.form)
		if resp.status != http.StatusBadRequest {
			t.Errorf("%s: %d", name, resp.status)
		}
		for _, part := range row.says {
			if !strings.Contains(resp.body, part) {
				t.Errorf("%s: the page does not have %s", name, part)
			}
		}
		if got := f.present(); got["time_zone"] != "America/Toronto" || got["area"] != nil {
			t.Errorf("%s: the gateway has %v", name, got)
		}
	}
}

func TestOnlyAdministratorsSeeTheSettings(t *testing.T) {
	f := newFixture(t)
	b := f.browser()
	if resp := b.signIn("marc@example.ca", password); resp.status != http.StatusSeeOther {
		t.Fatal(resp.status)
	}
	if resp := b.get(organizationPath); resp.status != http.StatusForbidden || strings.Contains(resp.body, "America/Toronto") {
		t.Errorf("the page: %d", resp.status)
	}
	if resp := b.post(organizationPath, settingsForm("UTC", "1", "1")); resp.status != http.StatusForbidden ||
		f.present()["time_zone"] != "America/Toronto" {
		t.Errorf("the form: %d, %v", resp.status, f.present())
	}
	if resp := f.browser().get(organizationPath); resp.status == http.StatusOK {
		t.Error("a stranger sees the page")
	}
}
