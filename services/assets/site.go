package assets

import (
	"context"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/domain/bookvalue"
	"ams.internal/libs/domain/indicators"
	"ams.internal/libs/resource"
)

// Site is a piece of land with what stands on it.
type Site struct {
	resource.Record
	Name     string  `json:"name" required:"true" maxLength:"200" unique:"true" filter:"equals" sort:"index" search:"name" doc:"What people call the site." example:"École Saint-Joseph"`
	Code     *string `json:"code" maxLength:"50" unique:"true" auto:"SITE-%04d" filter:"equals" sort:"true" search:"code" doc:"Short code; numbered when left out." example:"SITE-0001"`
	SiteType *string `json:"site_type" enum:"school,campus,park,recreation,works_yard,treatment_plant,landfill,office,housing,right_of_way,other" filter:"equals" sort:"true" doc:"What the site is used for." example:"school"`
	Status   string  `json:"status" default:"active" enum:"planned,active,inactive,disposed" filter:"equals" sort:"true" doc:"planned → active, disposed; active ↔ inactive; active, inactive → disposed; disposed → active." example:"active"`

	Description *string `json:"description" maxLength:"5000" doc:"What the site is." example:"École primaire et son terrain de jeu"`
	Notes       *string `json:"notes" maxLength:"5000" doc:"Remarks for colleagues." example:"Accès par la ruelle en hiver"`
	Place
	Country       string   `json:"country" default:"CA" pattern:"^[A-Z]{2}$" patternDescription:"a country code of ISO 3166-1 such as CA" filter:"equals" doc:"Country, ISO 3166-1 alpha-2." example:"CA"`
	LandAreaM2    *float64 `json:"land_area_m2" minimum:"0" unit:"m2" filter:"range" sort:"true" doc:"Area of the land." example:"18250.5"`
	Ward          *string  `json:"ward" maxLength:"100" filter:"equals" sort:"true" doc:"Electoral or administrative ward." example:"Quartier 4"`
	ManagerUserID *string  `json:"manager_user_id" references:"users" filter:"equals" doc:"The user who manages the site." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
	OutOfUse
	indicators.Provision
}

var sites = resource.Definition[Site]{
	Collection: "sites", Table: "site", NaturalKey: "code", Category: "site_type", Expansions: bookvalue.Expansions,
	Transitions: resource.Transitions{Field: "status", Ended: []string{"disposed"}, From: map[string][]string{
		"planned":  {"active", "disposed"},
		"active":   {"inactive", "disposed"},
		"inactive": {"active", "disposed"},
		"disposed": {"active"},
	}},
	BeforeWrite: func(ctx context.Context, _ pgx.Tx, changes []*resource.Change[Site]) error {
		for _, c := range changes {
			if c.After != nil {
				c.After.check(c.After.Country, c.FieldError)
				retirementOfSite(c).check(resource.Today(ctx))
			}
		}
		return nil
	},
}
