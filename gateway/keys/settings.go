package keys

import (
	"encoding/json"

	"ams.internal/libs/calendar"
	"ams.internal/libs/principal"
)

// Settings are what an organization says of itself: where it is, when its fiscal year ends, and how large it is.
type Settings struct {
	TimeZone           string       `json:"time_zone"`             // IANA
	FiscalYearEndMonth int          `json:"fiscal_year_end_month"` // 1 to 12; the year ends on that month's last day
	LandArea           *json.Number `json:"land_area_km2"`         // in km², at most 4 decimals; nil: not known

	RenewalBasis          string    `json:"renewal_basis"`            // typed or typed_or_life: what renewals are due by
	RenewalBasisChangedOn []string  `json:"renewal_basis_changed_on"` // the days from which on it was the other one, in the order of time
	FCIBands              []float64 `json:"fci_bands"`                // the upper ends of good, fair and poor in percent; nil: 5, 10 and 30
}

// Calendar has the organization's days and fiscal years.
func (s Settings) Calendar() calendar.Calendar {
	return calendar.Calendar{TimeZone: s.TimeZone, FiscalYearEndMonth: s.FiscalYearEndMonth}
}

// Into puts into p what services need of the settings.
func (s Settings) Into(p *principal.Principal) {
	p.TimeZone, p.FiscalYearEnd = s.TimeZone, s.FiscalYearEndMonth
	p.RenewalBasis, p.RenewalBasisChangedOn, p.FCIBands = s.RenewalBasis, s.RenewalBasisChangedOn, s.FCIBands
}
