// Package los has the contracts of the operations that the los service serves to other services.
package los

import "ams.internal/libs/reference"

// ConditionApproaches is how conditions are assessed, which O. Reg. 588/17, section 5 (2) 3 v, wants in the report on the state of
// infrastructure.
var ConditionApproaches = reference.Contract[struct{}, ApproachesResponse]{Owner: "los", Path: "/condition-approaches", Repeatable: true}

// ApproachesResponse has how the condition of what provides a service is assessed, for each category that says so.
type ApproachesResponse struct {
	Data []Approach `json:"data"`
}

// Approach is that of one category: the texts of its active areas, in the order in which they were made.
type Approach struct {
	Category string  `json:"category"`
	English  *string `json:"en"`
	French   *string `json:"fr"`
}
