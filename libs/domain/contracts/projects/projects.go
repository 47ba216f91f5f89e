// Package projects is what the projects service does for other services: the contracts of its internal operations.
package projects

import (
	"time"

	"ams.internal/libs/reference"
)

// Promote makes projects of what a run decided, all of a request or none. A project whose external id there is is not made again, so
// another instance is asked where one hangs.
var Promote = reference.Contract[PromotionsRequest, Promotions]{Owner: "projects", Path: "/promotions", Repeatable: true,
	Timeout: promotionTimeout}

// promotionTimeout is how long a run's projects may take to be made.
const promotionTimeout = 4 * time.Minute

// PromotionsRequest is planning's request for projects of what a run decided.
type PromotionsRequest struct {
	Projects []PromotedProject `json:"projects" maxItems:"200"`
}

// PromotedProject is a project with its links. Its external id says which interventions it is made of.
type PromotedProject struct {
	Project map[string]any   `json:"project" doc:"As POST /v1/projects takes it, with an external_id."`
	Links   []map[string]any `json:"links" doc:"As POST /v1/projects/{id}/links takes them."`
}

// Promotions are the projects, in the order of the request.
type Promotions struct {
	IDs []string `json:"ids"`
}
