package console

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"ams.internal/libs/calendar"
	"ams.internal/libs/fault"
	"ams.internal/libs/principal"
	"ams.internal/libs/reference"
)

// suggestedZones are the time zones of Canada, from east to west. Any other may be typed.
var suggestedZones = []string{
	"America/St_Johns", "America/Halifax", "America/Moncton", "America/Toronto", "America/Iqaluit", "America/Winnipeg", "America/Regina",
	"America/Edmonton", "America/Yellowknife", "America/Whitehorse", "America/Vancouver",
}

// renewalBases are what renewals may be due by.
var renewalBases = []string{principal.RenewalTypedOrLife, principal.RenewalTyped}

// wholeSettings are the settings that are whole numbers in a field of text.
var wholeSettings = []string{"contact_retention_days", "public_requests_per_link", "public_requests_per_day"}

type organizationPage struct {
	Form         *form
	Zones        []string
	Months       []int
	Bases        []string // of renewals
	Currency     string
	Jurisdiction string // of Open311; empty where the operator gave none out
	Today        time.Time
	Year         string // what people call the fiscal year of today: "2026-27"
	From, To     time.Time
}

func showOrganization(req *pageRequest) error {
	settings, err := req.settings()
	if err != nil {
		return err
	}
	f := &form{values: url.Values{"time_zone": {settings.TimeZone}, "fiscal_year_end_month": {strconv.Itoa(settings.FiscalYearEndMonth)}}}
	for i, value := range []int{settings.ContactRetentionDays, settings.PublicRequestsPerLink, settings.PublicRequestsPerDay} {
		f.values.Set(wholeSettings[i], strconv.Itoa(value))
	}
	f.values.Set("renewal_basis", settings.RenewalBasis)
	bands := make([]string, len(settings.FCIBands))
	for i, end := range settings.FCIBands {
		bands[i] = req.language.decimal(strconv.FormatFloat(end, 'f', -1, 64))
	}
	f.values.Set("fci_bands", strings.Join(bands, "; "))
	if settings.LandArea != nil {
		f.values.Set("land_area_km2", req.language.decimal(settings.LandArea.String()))
	}
	return req.showSettings(http.StatusOK, f, settings)
}

// settings reads the settings of the organization.
func (req *pageRequest) settings() (found reference.Settings, err error) {
	err = req.callGateway(http.MethodGet, "/settings", nil, &found)
	return found, err
}

// showSettings shows the form, and what follows from the settings that are in force.
func (req *pageRequest) showSettings(status int, f *form, inForce reference.Settings) error {
	days := calendar.Calendar{TimeZone: inForce.TimeZone, FiscalYearEndMonth: inForce.FiscalYearEndMonth}
	today := days.Today()
	year := days.FiscalYear(today)
	from, to := days.Period(year)
	shown := organizationPage{Form: f, Zones: suggestedZones, Bases: renewalBases, Currency: inForce.Currency, Year: days.Label(year)}
	if inForce.JurisdictionID != nil {
		shown.Jurisdiction = *inForce.JurisdictionID
	}
	for month := range 12 {
		shown.Months = append(shown.Months, month+1)
	}
	for text, at := range map[string]*time.Time{today: &shown.Today, from: &shown.From, to: &shown.To} {
		day, err := time.Parse(time.DateOnly, text)
		if err != nil {
			return err
		}
		*at = day
	}
	return req.show(status, "organization", req.language.translate("organization.title"), shown)
}

// saveOrganization changes the settings. The gateway checks them.
func saveOrganization(req *pageRequest) error {
	f := req.readForm()
	wanted := req.readSettings(f)
	if !f.hasProblems() {
		err := req.callGateway(http.MethodPatch, "/settings", wanted, nil)
		if err == nil {
			return req.redirectWithNotice("/settings/organization", "organization_saved")
		}
		e := faultOf(err)
		if e == nil || e.Kind != fault.KindInvalid {
			return err
		}
		req.explainSettings(f, e)
	}
	inForce, err := req.settings()
	if err != nil {
		return err
	}
	return req.showSettings(http.StatusBadRequest, f, inForce)
}

// readSettings reads the form, and adds the problems of what is not even a number.
func (req *pageRequest) readSettings(f *form) map[string]any {
	wanted := map[string]any{"time_zone": strings.TrimSpace(f.Value("time_zone")), "land_area_km2": nil}
	month, err := strconv.Atoi(f.Value("fiscal_year_end_month"))
	if err != nil {
		f.add("fiscal_year_end_month", req.language.translate("problem.rule.fiscal_year_end_month"))
	}
	wanted["fiscal_year_end_month"] = month
	for _, name := range wholeSettings {
		number, err := strconv.Atoi(strings.TrimSpace(f.Value(name)))
		if err != nil {
			f.add(name, req.language.translate("problem.rule."+name))
		}
		wanted[name] = number
	}
	wanted["renewal_basis"], wanted["fci_bands"] = f.Value("renewal_basis"), nil
	if text := strings.TrimSpace(f.Value("fci_bands")); text != "" {
		var bands []json.Number
		for _, end := range strings.Split(text, ";") {
			bands = append(bands, json.Number(req.language.plainDecimal(end)))
		}
		if _, err := json.Marshal(bands); err != nil {
			f.add("fci_bands", req.language.translate("problem.rule.fci_bands"))
		}
		wanted["fci_bands"] = bands
	}
	if text := strings.TrimSpace(f.Value("land_area_km2")); text != "" {
		area := json.Number(req.language.plainDecimal(text))
		if _, err := json.Marshal(area); err != nil {
			f.add("land_area_km2", req.language.translate("problem.rule.land_area_km2"))
		}
		wanted["land_area_km2"] = area
	}
	return wanted
}

// explainSettings adds the problems that the gateway found. There is a message for each field.
func (req *pageRequest) explainSettings(f *form, e *fault.Error) {
	for _, name := range append([]string{"time_zone", "fiscal_year_end_month", "land_area_km2",
		"renewal_basis", "fci_bands"}, wholeSettings...) {
		for _, each := range e.Fields {
			if each.Field == name {
				f.add(name, req.language.translate("problem.rule."+name))
			}
		}
	}
	if !f.hasProblems() {
		f.addDetail("time_zone", req.language.translate("problem.rule.settings"), e.Message)
	}
}
