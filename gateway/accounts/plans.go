package accounts

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/postgres"
	"ams.internal/libs/principal"
	"ams.internal/libs/transport"
)

// soldFeatures is a plan or an add-on, and what it grants.
type soldFeatures struct {
	Code         string   `json:"code"`
	Name         string   `json:"name"`
	Features     []string `json:"features"`
	StorageBytes int64    `json:"storage_bytes,omitempty"` // of documents; an add-on's are beyond the plan's
}

// offer is what can be bought.
type offer struct {
	features      []soldFeatures // each with no features of its own
	plans, addOns []soldFeatures
}

// offeredFeature is a feature, whether an organization has it, and what would grant it.
type offeredFeature struct {
	Code     string   `json:"code"`
	Name     string   `json:"name"`
	Included bool     `json:"included"`
	Plans    []string `json:"plans"`
	AddOns   []string `json:"add_ons"`
}

// offers is what can be bought, as one organization sees it.
type offers struct {
	Plans    []soldFeatures   `json:"plans"`
	AddOns   []soldFeatures   `json:"add_ons"`
	Features []offeredFeature `json:"features"`
}

func readOffer(ctx context.Context, tx pgx.Tx) (offer, error) {
	var found offer
	for _, part := range []struct {
		into  *[]soldFeatures
		query string
	}{
		{&found.features, `SELECT code, name, '{}'::text[], 0::bigint FROM feature ORDER BY code`},
		{&found.plans, `SELECT code, name, ARRAY(SELECT feature FROM plan_feature WHERE plan = code ORDER BY feature), storage_bytes
			FROM plan ORDER BY code`},
		{&found.addOns, `SELECT code, name, ARRAY(SELECT feature FROM add_on_feature WHERE add_on = code ORDER BY feature), storage_bytes
			FROM add_on ORDER BY code`},
	} {
		rows, err := tx.Query(ctx, part.query)
		if err != nil {
			return found, err
		}
		if *part.into, err = pgx.CollectRows(rows, pgx.RowToStructByPos[soldFeatures]); err != nil {
			return found, err
		}
	}
	return found, nil
}

func (o offer) nameOf(plan string) string {
	for _, p := range o.plans {
		if p.Code == plan {
			return p.Name
		}
	}
	return plan
}

// to says of each feature whether it is among those that an organization has, and which plans and add-ons grant it.
func (o offer) to(held []string) offers {
	seen := offers{Plans: o.plans, AddOns: o.addOns}
	granting := func(sold []soldFeatures, feature string) []string {
		codes := []string{}
		for _, s := range sold {
			if slices.Contains(s.Features, feature) {
				codes = append(codes, s.Code)
			}
		}
		return codes
	}
	for _, f := range o.features {
		included := slices.Contains(held, f.Code)
		seen.Features = append(seen.Features, offeredFeature{f.Code, f.Name, included, granting(o.plans, f.Code), granting(o.addOns, f.Code)})
	}
	return seen
}

// plans are the operations on what can be bought.
type plans struct{ db *postgres.DB }

func (p *plans) mount(api *transport.API) {
	transport.Get(api, transport.Operation{Path: "/internal/plans", ID: "list_plans"}, p.listPlans)
}

type planList struct {
	Plans  json.RawMessage `json:"plans"`
	AddOns json.RawMessage `json:"add_ons"`
}

// listPlans gives what can be bought, so that whoever lacks a feature can be told what would add it.
func (p *plans) listPlans(ctx context.Context, _ struct{}) (planList, error) {
	own := principal.From(ctx).OrganizationID
	if _, err := authorize(ctx, own, rolePlatformAdmin, roleService, roleAdministrator, roleMember); err != nil {
		return planList{}, err
	}
	var found offer
	err := p.db.Read(ctx, func(ctx context.Context, tx pgx.Tx) (err error) {
		found, err = readOffer(ctx, tx)
		return err
	})
	if err != nil {
		return planList{}, postgres.Fault(err, nil)
	}
	sold, err := json.Marshal(found.plans)
	if err != nil {
		return planList{}, err
	}
	addOns, err := json.Marshal(found.addOns)
	return planList{sold, addOns}, err
}
