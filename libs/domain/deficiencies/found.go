package deficiencies

import (
	"encoding/json"
)

// FoundDeficiency is a deficiency in the body of the assessment or inspection that found it.
type FoundDeficiency struct {
	Title         string   `json:"title" maxLength:"200" doc:"What is wrong, in a few words." example:"Membrane fendue au droit du drain nº 3"`
	Number        *string  `json:"number,omitempty" required:"false" maxLength:"50" doc:"Its number; given when left out." example:"DEF-000001"`
	ExternalID    *string  `json:"external_id,omitempty" required:"false" maxLength:"255" doc:"Its id in the system it came from; unique in the organization." example:"VFA-881"`
	UniformatCode *string  `json:"uniformat_code,omitempty" required:"false" maxLength:"7" doc:"Place in the UNIFORMAT II classification (ASTM E1557)." example:"B3010"`
	Category      *string  `json:"category,omitempty" required:"false" enum:"deferred_maintenance,life_safety,code,environmental,accessibility,functional,renewal" doc:"What kind of need it is; deferred_maintenance when left out." example:"deferred_maintenance"`
	Priority      *string  `json:"priority,omitempty" required:"false" enum:"low,medium,high,urgent" doc:"How pressing it is." example:"high"`
	Quantity      *float64 `json:"quantity,omitempty" required:"false" minimum:"0" doc:"How much of it, in unit." example:"12.5"`
	Unit          *string  `json:"unit,omitempty" required:"false" maxLength:"50" doc:"What quantity counts." example:"m2"`
	EstimatedCost *float64 `json:"estimated_cost,omitempty" required:"false" minimum:"0" doc:"What correcting it is estimated to cost, at most 2 decimals." example:"4200.00"`
	CostClass     *string  `json:"cost_class,omitempty" required:"false" enum:"A,B,C,D" doc:"How sure the estimate is, from A to D." example:"D"`
	CostYear      *int     `json:"cost_year,omitempty" required:"false" minimum:"1900" maximum:"2200" doc:"The year of whose prices estimated_cost is." example:"2026"`
	ActionYear    *int     `json:"action_year,omitempty" required:"false" minimum:"1900" maximum:"2300" doc:"The year in which it should be corrected." example:"2029"`
}

// Body is the body of the deficiency, with what its finding says of it: the field of the record that it is of, the day, and where it comes
// from.
func (f FoundDeficiency) Body(record, id, foundOn, source, sourceID string) (map[string]any, error) {
	encoded, err := json.Marshal(f)
	if err != nil {
		return nil, err
	}
	body := map[string]any{}
	if err := json.Unmarshal(encoded, &body); err != nil {
		return nil, err
	}
	body[record], body["found_on"], body["source"], body["source_id"] = id, foundOn, source, sourceID
	return body, nil
}
