package users

import (
	"slices"

	"ams.internal/libs/resource"
)

// Team is users who do work together: work orders and requests are given to it.
type Team struct {
	resource.Record
	Name       string   `json:"name" required:"true" maxLength:"200" unique:"true" filter:"equals" sort:"index" search:"name" doc:"What the team is called; unique in the organization." example:"Équipe de nuit, aréna"`
	Code       *string  `json:"code" maxLength:"50" unique:"true" filter:"equals" sort:"true" search:"code" doc:"Its number elsewhere; unique in the organization." example:"EQ-12"`
	UserIDs    []string `json:"user_ids" references:"users" maxItems:"200" uniqueItems:"true" filter:"contains" doc:"Its members; active users at the time when they join." example:"[\"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11\"]"`
	LeadUserID *string  `json:"lead_user_id" references:"users" filter:"equals" doc:"Who leads it; an active user at the time, who need not be a member." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
	Status     string   `json:"status" default:"active" enum:"active,inactive" filter:"equals" sort:"true" doc:"active ↔ inactive. Nothing new is given to an inactive team." example:"active"`
}

var teams = resource.Definition[Team]{
	Collection: "teams", Table: "team", NaturalKey: "code",
	Transitions: resource.Transitions{Field: "status", Ended: []string{"inactive"}, From: map[string][]string{
		"active": {"inactive"}, "inactive": {"active"},
	}},
	Resolve: checkMembers,
}

// checkMembers allows active users only as new members and leads. Those who were suspended later may stay.
func checkMembers(changes []*resource.Change[Team], found *resource.Found) error {
	for _, c := range changes {
		before := &Team{}
		if c.Before != nil {
			before = c.Before
		}
		check := func(field, id string) {
			user, known := found.Entry("users", id)
			if known && user.Status != nil && *user.Status != active {
				c.FieldError(field, "must be active users; %s is %s", user.Name, *user.Status)
			}
		}
		for _, id := range c.After.UserIDs {
			if !slices.Contains(before.UserIDs, id) {
				check("user_ids", id)
			}
		}
		if lead := c.After.LeadUserID; lead != nil && !resource.Same(before.LeadUserID, lead) {
			check("lead_user_id", *lead)
		}
	}
	return nil
}
