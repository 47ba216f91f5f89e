package main

import (
	"net/http"
	"slices"
)

// planAnswer is the organization with what it has bought, and all that can be bought.
type planAnswer struct {
	ID       string   `json:"id"`
	Name     string   `json:"name"`
	PlanName string   `json:"plan_name"`
	AddOns   []string `json:"add_ons"`
	Features []string `json:"features"`
	BaseURL  string   `json:"base_url"`
	MCPURL   string   `json:"mcp_url"`
	Offers   struct {
		Plans  []sold `json:"plans"`
		AddOns []sold `json:"add_ons"`
	} `json:"offers"`
}

// sold is a plan or an add-on, and what it grants.
type sold struct {
	Code     string   `json:"code"`
	Name     string   `json:"name"`
	Features []string `json:"features"`
}

func (p planAnswer) has(feature string) bool { return slices.Contains(p.Features, feature) }

func (p planAnswer) addresses() addresses { return addresses{p.BaseURL, p.MCPURL} }

// plan asks what the organization has now, once for a page.
func (v *visit) plan() (planAnswer, error) {
	if v.planned != nil {
		return *v.planned, nil
	}
	var found planAnswer
	if err := v.gateway(http.MethodGet, "", nil, &found); err != nil {
		return planAnswer{}, err
	}
	v.planned = &found
	return found, nil
}

// allFeatures are what plans and add-ons grant, in the order of the page.
var allFeatures = []string{"api_access", "los", "infrastructure", "projects"}

type planPage struct {
	Name     string
	AddOns   []string
	Features []featureLine
}

// featureLine is one feature: included, or what would add it.
type featureLine struct {
	Code     string
	Included bool
	Plans    []string // names of what grants it
	AddOns   []string
}

func showPlan(v *visit) error {
	plan, err := v.plan()
	if err != nil {
		return err
	}
	shown := planPage{Name: plan.PlanName}
	for _, code := range plan.AddOns {
		shown.AddOns = append(shown.AddOns, nameOf(plan.Offers.AddOns, code))
	}
	for _, feature := range allFeatures {
		shown.Features = append(shown.Features, featureLine{feature, plan.has(feature), granting(plan.Offers.Plans, feature), granting(plan.Offers.AddOns, feature)})
	}
	return v.show(http.StatusOK, "plan", v.language.say("plan.title"), shown)
}

func nameOf(all []sold, code string) string {
	for _, each := range all {
		if each.Code == code {
			return each.Name
		}
	}
	return code
}

func granting(all []sold, feature string) []string {
	var names []string
	for _, each := range all {
		if slices.Contains(each.Features, feature) {
			names = append(names, each.Name)
		}
	}
	return names
}
