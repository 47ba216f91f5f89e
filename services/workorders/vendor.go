package workorders

import "ams.internal/libs/resource"

// Vendor is a company that sells parts or does work: work orders, costs and plans name it.
type Vendor struct {
	resource.Record
	Name               string   `json:"name" required:"true" maxLength:"200" unique:"true" filter:"equals" sort:"index" search:"name" doc:"What the company is called; unique in the organization." example:"Chauffage Laurentides inc."`
	Code               *string  `json:"code" maxLength:"50" unique:"true" filter:"equals" sort:"true" search:"code" doc:"Its number in the finance system; unique in the organization." example:"F-2041"`
	Contact            *string  `json:"contact" maxLength:"1000" doc:"Whom to reach, and how." example:"Luc Gagnon, 819 555-0118, service@chauffage-laurentides.ca"`
	Trades             []string `json:"trades" maxItems:"50" maxLength:"100" uniqueItems:"true" filter:"contains" doc:"What it does." example:"[\"chauffage\",\"plomberie\"]"`
	InsuranceExpiresOn *string  `json:"insurance_expires_on" format:"date" filter:"range" sort:"true" doc:"Last day on which its liability insurance is known to be valid." example:"2027-03-31"`
}

var vendors = resource.Definition[Vendor]{Collection: "vendors", Table: "vendor", NaturalKey: "code"}
