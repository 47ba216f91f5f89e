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
}

// unknownArea takes the land area of an organization away.
const unknownArea = "none"

func setSettings(s *session) *cobra.Command {
	var zone, month, area string
	cmd := &cobra.Command{Use: "set ID", Short: "Set an organization's time zone, fiscal year and land area", Args: cobra.ExactArgs(1)}
	cmd.Long = cmd.Short + ".\n\nWhat is not given stays as it is. It is in force at the next request; dates that are stored stay as they are."
	flags := cmd.Flags()
	flags.StringVar(&zone, "time-zone", "", "IANA name of the time zone that its days are of, such as America/Toronto")
	flags.StringVar(&month, "fiscal-year-end-month", "", "1 to 12: the fiscal year ends on the last day of that month")
	flags.StringVar(&area, "land-area-km2", "", "land area in square kilometres, at most 4 decimals; "+unknownArea+" where it is not known")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		given := map[string]any{}
		if flags.Changed("time-zone") {
			given["time_zone"] = zone
		}
		if flags.Changed("fiscal-year-end-month") {
			number, err := strconv.Atoi(month)
			if err != nil {
				return fmt.Errorf("--fiscal-year-end-month %s: give a number from 1 to 12", month)
			}
			given["fiscal_year_end_month"] = number
		}
		switch {
		case area == unknownArea:
			given["land_area_km2"] = nil
		case flags.Changed("land-area-km2"):
			if json.Unmarshal([]byte(area), new(float64)) != nil || area == "null" {
				return fmt.Errorf("--land-area-km2 %s: give square kilometres, or %s", area, unknownArea)
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
