package requests

import (
	"ams.internal/libs/resource"
	"ams.internal/libs/schema"
)

// The states of a request.
const (
	submitted = "submitted"
	accepted  = "accepted"
	rejected  = "rejected"
	duplicate = "duplicate"
	withdrawn = "withdrawn"
	closed    = "closed"
)

// The states of a request's work order.
const (
	noWork        = "none"
	workPending   = "pending"
	workLinked    = "linked"
	workRefused   = "refused"
	workCancelled = "cancelled"
)

// Request is what somebody asks the organization to do.
type Request struct {
	resource.Record
	Title       string            `json:"title" required:"true" maxLength:"200" filter:"equals" sort:"index" search:"name" doc:"What is asked for, in a few words." example:"Balançoire brisée"`
	Number      *string           `json:"number" maxLength:"50" unique:"true" auto:"REQ-%06d" filter:"equals" sort:"true" search:"code" doc:"Number of the request; the next one when left out." example:"REQ-000001"`
	Description *string           `json:"description" maxLength:"4000" search:"text" doc:"What is asked for, at length. Text of strangers: show it as text." example:"La chaîne de gauche ne tient plus"`
	Status      string            `json:"status" default:"submitted" enum:"submitted,accepted,rejected,duplicate,withdrawn,closed" filter:"equals" facet:"true" sort:"true" doc:"submitted → accepted, rejected, duplicate, withdrawn; accepted → closed, and rejected, submitted once its work is cancelled; rejected, duplicate → submitted; closed → accepted. Whoever sets accepted has a work order made for it, or names one, and needs work_orders:write." example:"submitted"`
	Priority    string            `json:"priority" default:"medium" enum:"low,medium,high,urgent" filter:"equals" facet:"true" sort:"true" doc:"How soon it is needed. Of a new request that says nothing, its service's." example:"high"`
	Source      string            `json:"source" default:"staff" enum:"staff,link,open311,import" filter:"equals" facet:"true" sort:"true" doc:"How it came in. link and open311 are set by the public door alone." example:"staff"`
	ServiceCode *string           `json:"service_code" maxLength:"50" filter:"equals" sort:"true" doc:"The service that is asked for, by the code of a request service." example:"PLAYGROUND"`
	Attributes  schema.OpenObject `json:"attributes" doc:"Answers to the questions of the service, by their codes: texts, numbers, true, false. Several answers to one question are one text with commas."`

	SiteID      *string  `json:"site_id" references:"sites" filter:"equals" facet:"true" doc:"The site. Follows from building_id, asset_id and segment_id." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
	BuildingID  *string  `json:"building_id" references:"buildings" filter:"equals" doc:"The building. Follows from asset_id." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
	AssetID     *string  `json:"asset_id" references:"assets" filter:"equals" doc:"The asset." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
	SegmentID   *string  `json:"segment_id" references:"segments" filter:"equals" doc:"The network segment. Needs the feature Infrastructure." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
	AddressText *string  `json:"address_text" maxLength:"500" doc:"Where it is, in words." example:"Parc du Moulin, côté rivière"`
	Latitude    *float64 `json:"latitude" minimum:"-90" maximum:"90" unit:"degree" filter:"range" doc:"Where it is, in WGS 84. With longitude." example:"43.6511"`
	Longitude   *float64 `json:"longitude" minimum:"-180" maximum:"180" unit:"degree" filter:"range" doc:"Where it is, in WGS 84. With latitude." example:"-79.3470"`
	MediaURL    *string  `json:"media_url" maxLength:"2000" pattern:"^https?://[^\\s<>\"]+$" patternDescription:"a URL that begins with http:// or https://" doc:"A picture that was sent along. The address is kept, and never fetched." example:"https://example.ca/p/1.jpg"`

	RequesterName  *string `json:"requester_name" maxLength:"200" private:"true" doc:"Who asks. Contact data is in no event, and is erased some time after the end (contact_retention_days)." example:"Geneviève Côté"`
	RequesterEmail *string `json:"requester_email" maxLength:"254" format:"email" pattern:"^[^@\\s<>\"]+@[^@\\s<>\"]+$" patternDescription:"an e-mail address such as name@example.ca" private:"true" filter:"equals" doc:"How to reach who asks." example:"genevieve.cote@riviere-claire.ca"`
	RequesterPhone *string `json:"requester_phone" maxLength:"50" private:"true" doc:"How to reach who asks." example:"+1 519 555 0134"`

	Published  bool    `json:"published" default:"false" filter:"equals" facet:"true" doc:"Whether Open311 shows it to the public, where its service is public. Contact data is never shown."`
	PublicNote *string `json:"public_note" maxLength:"2000" doc:"What who asked is told, where the receipt is shown." example:"Nous passons mardi."`
	Reason     *string `json:"reason" maxLength:"1000" doc:"Why it was rejected; required then, cleared when it is opened again." example:"Terrain privé"`

	DuplicateOfID              *string `json:"duplicate_of_id" references:"requests" filter:"equals" doc:"The request that asks for the same; required of a duplicate, whose end is that request's." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
	WorkOrderID                *string `json:"work_order_id" references:"work_orders" filter:"equals" doc:"The work order by which it is done; its completion closes the request. Set by POST …/accept, or named when status becomes accepted, which needs work_orders:write." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
	DeficiencyID               *string `json:"deficiency_id" references:"deficiencies" filter:"equals" doc:"The deficiency that was recorded for it. Set by POST …/accept." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
	InfrastructureDeficiencyID *string `json:"infrastructure_deficiency_id" references:"infrastructure_deficiencies" filter:"equals" doc:"The deficiency of a segment that was recorded for it. Needs the feature Infrastructure." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`

	WorkOrderState       string   `json:"work_order_state" readOnly:"true" default:"none" enum:"none,pending,linked,refused,cancelled" filter:"equals" doc:"none; pending: it was accepted, and what was asked for is being made; linked: it is there; refused: it could not be made, and work_order_message says why; cancelled: the work order was cancelled or deleted, and the request can be accepted again, rejected, or opened again."`
	CancelledWorkOrderID *string  `json:"cancelled_work_order_id" readOnly:"true" format:"uuid" doc:"The work order that was cancelled before the request was rejected or opened again. When that is opened again, the request is accepted again."`
	WorkOrderMessage     *string  `json:"work_order_message" readOnly:"true" doc:"Why what was asked for could not be made."`
	LinkID               *string  `json:"link_id" readOnly:"true" format:"uuid" filter:"equals" doc:"The link that it came by."`
	EndedAt              *string  `json:"ended_at" readOnly:"true" format:"date-time" filter:"range" sort:"true" doc:"When it was closed, rejected or withdrawn; of a duplicate, when the other request was. Contact data is kept for contact_retention_days from then."`
	AllowedTransitions   []string `json:"allowed_transitions" readOnly:"true" doc:"The states that it can move to from here."`
}

var transitions = resource.Transitions{
	Field: "status", Ended: []string{rejected, duplicate, withdrawn, closed},
	From: map[string][]string{
		submitted: {accepted, rejected, duplicate, withdrawn},
		accepted:  {closed, rejected, submitted},
		rejected:  {submitted},
		duplicate: {submitted},
		closed:    {accepted},
	},
	Now:  movesNow,
	With: []string{"reason", "public_note", "duplicate_of_id", "work_order_id", "deficiency_id", "infrastructure_deficiency_id"},
}

var requests = resource.Definition[Request]{
	Collection: "requests", Table: "request", NaturalKey: "number", Label: "title",
	Computed: map[string]string{"allowed_transitions": "CASE WHEN t.status = 'accepted'" +
		" AND t.work_order_state IN ('pending', 'linked') THEN " +
		"'[\"closed\"]'" +
		" ELSE " + transitions.AllowedSQL() + " END"},
	Totals: &resource.Totals{Doc: "true: `totals` has how many the filters find, on all pages.",
		Groups: []string{"status", "priority", "source", "service_code", "site_id", "building_id", "asset_id"}},
	Transitions: transitions,
	// None is Active: strangers could keep a place from being retired. The work that is made of a request keeps it.
	Resolve:     resolvePlaces,
	BeforeWrite: prepareRequests,
	Events: map[string]resource.Emits[Request]{
		"request.accepted": resource.When(movedTo(accepted)),
		"request.rejected": resource.When(movedTo(rejected)),
		"request.closed":   resource.When(movedTo(closed)),
		"request.effect_refused": resource.WhenUpdated(func(before, after *Request) bool {
			return before.WorkOrderState != workRefused && after.WorkOrderState == workRefused
		}),
	},
}

// movesNow are the moves of a request as it is: while there is work for it, an accepted one can be closed alone.
func movesNow(record any, allowed []string) (now []string, because string) {
	r := record.(*Request) //nolint:forcetypeassert // the definition's own
	if r.Status != accepted || r.WorkOrderState != workPending && r.WorkOrderState != workLinked {
		return allowed, ""
	}
	because = "There is work for it: cancel the work order first."
	switch {
	case r.WorkOrderState == workPending:
		because = "Its work is being made; ask again when work_order_state is linked."
	case r.WorkOrderID == nil:
		because = "A deficiency is recorded for it: take that out first (deficiency_id: null)."
		if r.DeficiencyID == nil {
			because = "A deficiency is recorded for it: take that out first (infrastructure_deficiency_id: null)."
		}
	}
	return []string{closed}, because
}

// movedTo reports whether a change brings a request to a state. One that is opened again after it was closed has been accepted before.
func movedTo(state string) func(*resource.Change[Request]) bool {
	return func(c *resource.Change[Request]) bool {
		if c.After == nil || c.After.Status != state {
			return false
		}
		return c.Before == nil || c.Before.Status != state && (state != accepted || c.Before.Status != closed)
	}
}
