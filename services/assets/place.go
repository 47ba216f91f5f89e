package assets

import (
	"regexp"
	"strings"
)

// Place is where a site or a building is, and by what right the organization has it.
type Place struct {
	AddressLine1 *string  `json:"address_line1" maxLength:"200" search:"text" doc:"Street address." example:"1200, rue Saint-Denis"`
	AddressLine2 *string  `json:"address_line2" maxLength:"200" doc:"Second line of the address." example:"Aile B"`
	City         *string  `json:"city" maxLength:"100" filter:"equals" sort:"true" search:"text" doc:"City, town or township." example:"Trois-Rivières"`
	Province     *string  `json:"province" enum:"AB,BC,MB,NB,NL,NS,NT,NU,ON,PE,QC,SK,YT" filter:"equals" sort:"true" doc:"Province or territory." example:"QC"`
	PostalCode   *string  `json:"postal_code" maxLength:"20" doc:"Postal code. In Canada it must be one, and is kept as A1A 1A1." example:"G9A 1V4"`
	Latitude     *float64 `json:"latitude" minimum:"-90" maximum:"90" unit:"degree" doc:"Latitude in WGS 84, with longitude or not at all." example:"46.343"`
	Longitude    *float64 `json:"longitude" minimum:"-180" maximum:"180" unit:"degree" doc:"Longitude in WGS 84, with latitude or not at all." example:"-72.5421"`
	Ownership    *string  `json:"ownership" enum:"owned,leased,licensed,joint_use,managed" filter:"equals" sort:"true" doc:"How the organization holds it." example:"owned"`
}

// canadianPostalCode is Canada Post's form: no D, F, I, O, Q or U, and no W or Z at the start.
var canadianPostalCode = regexp.MustCompile(`^(?i)([ABCEGHJ-NPRSTVXY]\d[ABCEGHJ-NPRSTV-Z])[ -]?(\d[ABCEGHJ-NPRSTV-Z]\d)$`)

// check checks the place by the rules of country (ISO alpha-2) and writes the postal code in its canonical form.
func (p *Place) check(country string, fieldError func(field, format string, args ...any)) {
	if p.PostalCode != nil && country == "CA" {
		if parts := canadianPostalCode.FindStringSubmatch(*p.PostalCode); parts != nil {
			canonical := strings.ToUpper(parts[1] + " " + parts[2])
			p.PostalCode = &canonical
		} else {
			fieldError("postal_code", "must be a Canadian postal code such as A1A 1A1, because the country is CA")
		}
	}
	switch {
	case p.Latitude != nil && p.Longitude == nil:
		fieldError("longitude", "is required when latitude is given")
	case p.Longitude != nil && p.Latitude == nil:
		fieldError("latitude", "is required when longitude is given")
	}
}
