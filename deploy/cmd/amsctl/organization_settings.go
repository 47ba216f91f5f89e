package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"

	"github.com/spf13/cobra"

	ams "ams.internal/clients/go"
)

// settingColumns are the settings of an organization.
var settingColumns = []column{
	{"time zone", "time_zone"}, {"fiscal year ends in month", "fiscal_year_end_month"}, {"land area (km²)", "land_area_km2"},
	{"renewals due by", "renewal_basis"}, {"FCI bands", "fci_bands"},
	{"jurisdiction", "jurisdiction_id"}, {"contact retention (days)", "contact_retention_days"},
	{"public requests per link", "public_requests_per_link"}, {"public requests per day", "public_requests_per_day"},
}

// wholeSettings are the settings that are whole numbers: the flag that sets each, and its name in the API.
var wholeSettings = []struct{ flag, name, doc string }{
	{"fiscal-year-end-month", "fiscal_year_end_month", "1 to 12: the fiscal year ends on the last day of that month"},
	{"contact-retention-days", "contact_retention_days", "days after the end of a request until its contact data is erased"},
	{"public-requests-per-link", "public_requests_per_link", "requests that people without a key may send by one link in an hour"},
	{"public-requests-per-day", "public_requests_per_day", "requests that people without a key may send in a day"},
}

// none takes a setting away.
const none = "none"

func setSettings(s *session) *cobra.Command {
	var zone, area, jurisdiction, basis, bands string
	cmd := &cobra.Command{Use: "set ID", Short: "Change an organization's settings", Args: cobra.ExactArgs(1)}
	cmd.Long = cmd.Short + ".\n\nWhat is not given stays as it is. It is in force at the next request; dates that are stored stay as they are."
	flags := cmd.Flags()
	flags.StringVar(&zone, "time-zone", "", "IANA name of the time zone that its days are of, such as America/Toronto")
	flags.StringVar(&jurisdiction, "jurisdiction", "",
		"what Open311 apps know it by beside its id, as a rule its domain; "+none+" takes it away")
	flags.StringVar(&basis, "renewal-basis", "", "what renewals are due by: typed (planned_renewal_year alone) or typed_or_life")
	flags.StringVar(&bands, "fci-bands", "", "the upper ends of good, fair and poor in percent, such as 5,10,30; "+none+" for these")
	for _, setting := range wholeSettings {
		flags.String(setting.flag, "", setting.doc)
	}
	flags.StringVar(&area, "land-area-km2", "", "land area in square kilometres, at most 4 decimals; "+none+" where it is not known")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		given := map[string]any{}
		if flags.Changed("time-zone") {
			given["time_zone"] = zone
		}
		if flags.Changed("renewal-basis") {
			given["renewal_basis"] = basis
		}
		switch {
		case bands == none:
			given["fci_bands"] = nil
		case flags.Changed("fci-bands"):
			list := json.RawMessage("[" + bands + "]")
			if json.Unmarshal(list, &[]float64{}) != nil {
				return fmt.Errorf("--fci-bands %s: give three percentages, such as 5,10,30, or %s", bands, none)
			}
			given["fci_bands"] = list
		}
		switch {
		case jurisdiction == none:
			given["jurisdiction_id"] = nil
		case flags.Changed("jurisdiction"):
			given["jurisdiction_id"] = jurisdiction
		}
		for _, setting := range wholeSettings {
			if !flags.Changed(setting.flag) {
				continue
			}
			text := cmd.Flag(setting.flag).Value.String()
			number, err := strconv.Atoi(text)
			if err != nil {
				return fmt.Errorf("--%s %s: give a whole number", setting.flag, text)
			}
			given[setting.name] = number
		}
		switch {
		case area == none:
			given["land_area_km2"] = nil
		case flags.Changed("land-area-km2"):
			if json.Unmarshal([]byte(area), new(float64)) != nil || area == "null" {
				return fmt.Errorf("--land-area-km2 %s: give square kilometres, or %s", area, none)
			}
			given["land_area_km2"] = json.Number(area)
		}
		if len(given) == 0 {
			return errors.New("give at least one setting, for example --time-zone America/Halifax")
		}
		return s.operate(cmd, ams.Request{Method: http.MethodPatch, Path: "/internal/organizations/" + url.PathEscape(args[0]) + "/settings",
			Body: given}, append(settingColumns, column{"currency", "currency"}))
	}
	return cmd
}
