package main

import (
	"context"
	"encoding/json"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/postgres"
	"ams.internal/libs/principal"
	"ams.internal/libs/transport"
)

type usageQuery struct {
	byOrganization
	Days int `query:"days" default:"30" minimum:"1" maximum:"366"`
}

// keyUse is what one key did on one day, UTC.
type keyUse struct {
	KeyID    string `json:"key_id"`
	KeyName  string `json:"key_name"`
	Day      string `json:"day"`
	Requests int64  `json:"requests"`
	Errors   int64  `json:"errors"`
	Limited  int64  `json:"limited"`
}

type usageReport struct {
	Data json.RawMessage `json:"data"`
}

func (o *operator) mountUsage(api *transport.API) {
	transport.Get(api, transport.Operation{Path: "/internal/organizations/{id}/usage", ID: "get_usage"}, o.getUsage)
	transport.Get(api, transport.Operation{Path: "/internal/plans", ID: "list_plans"}, o.listPlans)
}

// getUsage gives requests, errors and refusals for the limit, per key and day; the last seconds are still on their way.
func (o *operator) getUsage(ctx context.Context, in usageQuery) (usageReport, error) {
	ctx, err := enter(ctx, in.ID, roleOperator, roleService, roleAdministrator)
	if err != nil {
		return usageReport{}, err
	}
	uses := []keyUse{}
	err = o.gateway.db.Read(ctx, func(ctx context.Context, tx pgx.Tx) error {
		if _, err := readOrganization(ctx, tx, in.ID); err != nil {
			return err
		}
		rows, err := tx.Query(ctx, `SELECT d.key_id, k.name, d.day::text, d.requests, d.errors, d.limited
			FROM key_day d JOIN api_key k ON k.organization_id = d.organization_id AND k.id = d.key_id
			WHERE d.organization_id = $1 AND d.day > (now() AT TIME ZONE 'UTC')::date - $2::integer ORDER BY d.day, d.key_id`, in.ID, in.Days)
		if err != nil {
			return err
		}
		var u keyUse
		_, err = pgx.ForEachRow(rows, []any{&u.KeyID, &u.KeyName, &u.Day, &u.Requests, &u.Errors, &u.Limited}, func() error {
			uses = append(uses, u)
			return nil
		})
		return err
	})
	if err != nil {
		return usageReport{}, postgres.Fault(err, nil)
	}
	encoded, err := json.Marshal(uses)
	return usageReport{encoded}, err
}

// soldFeatures is a plan or an add-on, and what it grants.
type soldFeatures struct {
	Code     string   `json:"code"`
	Name     string   `json:"name"`
	Features []string `json:"features"`
}

type offer struct {
	Plans  json.RawMessage `json:"plans"`
	AddOns json.RawMessage `json:"add_ons"`
}

// listPlans gives what can be bought, so that whoever lacks a feature can be told what would add it.
func (o *operator) listPlans(ctx context.Context, _ struct{}) (offer, error) {
	if _, err := enter(ctx, principal.From(ctx).OrganizationID, roleOperator, roleService, roleAdministrator, roleMember); err != nil {
		return offer{}, err
	}
	plans, err := o.sold(ctx, `SELECT code, name, ARRAY(SELECT feature FROM plan_feature WHERE plan = code ORDER BY feature) FROM plan ORDER BY code`)
	if err != nil {
		return offer{}, postgres.Fault(err, nil)
	}
	addOns, err := o.sold(ctx, `SELECT code, name, ARRAY(SELECT feature FROM add_on_feature WHERE add_on = code ORDER BY feature) FROM add_on ORDER BY code`)
	return offer{plans, addOns}, postgres.Fault(err, nil)
}

func (o *operator) sold(ctx context.Context, query string) (json.RawMessage, error) {
	rows, err := o.gateway.db.Pool().Query(ctx, query)
	if err != nil {
		return nil, err
	}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[soldFeatures])
	if err != nil {
		return nil, err
	}
	return json.Marshal(found)
}
