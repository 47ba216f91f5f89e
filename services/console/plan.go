package console

import (
	"net/http"
	"slices"
)

// planResponse is the organization with its plan, and all plans and add-ons that exist.
type planResponse struct {
	ID       string   `json:"id"`
	Name     string   `json:"name"`
	PlanName string   `json:"plan_name"`
	AddOns   []string `json:"add_ons"`
	Features []string `json:"features"`
	Limits   struct {
		StorageBytes int64 `json:"storage_bytes"`
	} `json:"limits"`
	BaseURL string `json:"base_url"`
	MCPURL  string `json:"mcp_url"`
	Offers  struct {
		Plans  []offer `json:"plans"`
		AddOns []offer `json:"add_ons"`
	} `json:"offers"`
}

// offer is a plan or an add-on with its features.
type offer struct {
	Code         string   `json:"code"`
	Name         string   `json:"name"`
	Features     []string `json:"features"`
	StorageBytes int64    `json:"storage_bytes"` // of documents; an add-on's are beyond the plan's
}

func (p planResponse) has(feature string) bool { return slices.Contains(p.Features, feature) }

func (p planResponse) addresses() addresses { return addresses{p.BaseURL, p.MCPURL} }

// plan reads the organization's plan, once for a request.
func (req *pageRequest) plan() (planResponse, error) {
	if req.cachedPlan != nil {
		return *req.cachedPlan, nil
	}
	var found planResponse
	if err := req.callGateway(http.MethodGet, "", nil, &found); err != nil {
		return planResponse{}, err
	}
	req.cachedPlan = &found
	return found, nil
}

// allFeatures are the features of plans and add-ons, in the order of the page.
var allFeatures = []string{"api_access", "los", "infrastructure", "projects", "maintenance", "planning", "accounting"}

type planPage struct {
	Name     string
	AddOns   []string
	Storage  int64   // bytes of documents
	Adding   []offer // add-ons for more of them that the organization does not have
	Features []featureLine
}

// featureLine is a feature that is included, or the plans and add-ons that have it.
type featureLine struct {
	Code     string
	Included bool
	Plans    []string // names of those that include it
	AddOns   []string
}

func showPlan(req *pageRequest) error {
	plan, err := req.plan()
	if err != nil {
		return err
	}
	shown := planPage{Name: plan.PlanName, Storage: plan.Limits.StorageBytes}
	for _, addOn := range plan.Offers.AddOns {
		if addOn.StorageBytes > 0 && !slices.Contains(plan.AddOns, addOn.Code) {
			shown.Adding = append(shown.Adding, addOn)
		}
	}
	for _, code := range plan.AddOns {
		shown.AddOns = append(shown.AddOns, nameOf(plan.Offers.AddOns, code))
	}
	for _, feature := range allFeatures {
		shown.Features = append(shown.Features, featureLine{feature, plan.has(feature), offersWith(plan.Offers.Plans, feature),
			offersWith(plan.Offers.AddOns, feature)})
	}
	return req.show(http.StatusOK, "plan", req.language.translate("plan.title"), shown)
}

func nameOf(all []offer, code string) string {
	for _, each := range all {
		if each.Code == code {
			return each.Name
		}
	}
	return code
}

func offersWith(all []offer, feature string) []string {
	var names []string
	for _, each := range all {
		if slices.Contains(each.Features, feature) {
			names = append(names, each.Name)
		}
	}
	return names
}
