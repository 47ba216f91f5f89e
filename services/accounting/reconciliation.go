package accounting

import (
	"context"
	"fmt"
	"reflect"
	"slices"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/domain/indicators"
	"ams.internal/libs/principal"
	"ams.internal/libs/reference"
	"ams.internal/libs/schema"
	"ams.internal/libs/transport"
)

// ReconciliationQuery has no parameters.
type ReconciliationQuery struct{}

// Reconciliation is where the ledger and the records that it stands for say different things.
type Reconciliation struct {
	Total int                   `json:"total" doc:"How many findings there are." example:"1"`
	Data  []ReconciliationGroup `json:"data" doc:"A group for each kind of finding, also where there are none."`
}

// ReconciliationGroup is the findings of one kind.
type ReconciliationGroup struct {
	Code     string                  `json:"code" enum:"record_missing,record_out_of_use,record_in_service,not_linked" doc:"What kind." example:"record_out_of_use"`
	Meaning  string                  `json:"meaning" doc:"What it means, in words." example:"A record that the ledger still has is out of use for good."`
	Count    int                     `json:"count" doc:"How many findings there are of it." example:"1"`
	Findings []ReconciliationFinding `json:"findings" doc:"The first 100 of them; as CSV, NDJSON or Parquet (Accept) all."`
}

// ReconciliationFinding is a capital asset, and the record with which it does not agree.
type ReconciliationFinding struct {
	Code               string  `json:"code" doc:"What kind." example:"record_out_of_use"`
	CapitalAssetID     string  `json:"capital_asset_id" format:"uuid" doc:"The capital asset." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
	CapitalAssetNumber *string `json:"capital_asset_number" doc:"Its number; null where it has none." example:"TCA-000001"`
	CapitalAssetName   string  `json:"capital_asset_name" doc:"Its name." example:"Pompe de relevage"`
	CapitalAssetState  string  `json:"capital_asset_state" doc:"Its state in the ledger." example:"in_service"`
	TargetType         *string `json:"target_type" doc:"What kind of record the link is to; null where there is no link." example:"asset"`
	TargetID           *string `json:"target_id" format:"uuid" doc:"The record." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e12"`
	TargetName         *string `json:"target_name" doc:"Its name; null where it is not there." example:"Pompe P-4"`
	TargetStatus       *string `json:"target_status" doc:"Its status; null where it is not there, or has none." example:"disposed"`
	Message            string  `json:"message" doc:"What is wrong, and what to do." example:"The asset Pompe P-4 is disposed, and TCA-000001 is still in service in the ledger: post its disposal, or that of a part and remove the link."`
}

// kindsOfFindings are the groups, in their order.
var kindsOfFindings = []ReconciliationGroup{
	{Code: "record_missing", Meaning: "A link names a record that is not there any more."},
	{Code: "record_out_of_use", Meaning: "A record that the ledger still has is out of use for good."},
	{Code: "record_in_service", Meaning: "A record is in service, of which the ledger has work in progress only."},
	{Code: "not_linked", Meaning: "A capital asset is in service and stands for no record."},
}

const (
	maxShown    = 100  // findings of a group
	maxLookedUp = 1000 // records that are looked up at their owner at once
	maxRead     = 5000 // capital assets that are read at once
)

func (a *accounting) mountReconciliation() {
	transport.GetStream[ReconciliationFinding](a.registry.API, transport.Operation{Path: "/v1/accounting/reconciliation",
		ID: "get_capital_asset_reconciliation", Deadline: closeDeadline, Scope: "accounting:read", Feature: "accounting",
		Summary:  "Get where the ledger and the records differ",
		Response: schema.Shown(reflect.TypeFor[Reconciliation]()).JSON, ResponseName: "Reconciliation",
		Description: "Capital assets whose linked record is not there or is out of use for good, " +
			"work in progress on what is in service, and capital assets in service that are linked to nothing. " +
			"The owners of the records are asked as it is made: 503 where one is away. JSON has the number of findings of each kind, " +
			"and the first 100; as CSV, NDJSON or Parquet (Accept) all. Disposing of a record posts nothing by itself."}, a.reconciliation)
}

func (a *accounting) reconciliation(ctx context.Context, _ ReconciliationQuery, accept []string) (response *transport.Response, err error) {
	err = a.inTurn(ctx, func() error {
		if transport.Negotiate(accept, transport.RecordTypes...) != transport.ApplicationJSON {
			response, err = transport.SpoolRecords(ctx, accept, "reconciliation", a.eachFinding)
			return err
		}
		out := Reconciliation{Data: slices.Clone(kindsOfFindings)}
		for i := range out.Data {
			out.Data[i].Findings = []ReconciliationFinding{}
		}
		err := a.eachFinding(ctx, func(f *ReconciliationFinding) error {
			group := &out.Data[slices.IndexFunc(out.Data, func(g ReconciliationGroup) bool { return g.Code == f.Code })]
			out.Total++
			if group.Count++; group.Count <= maxShown {
				group.Findings = append(group.Findings, *f)
			}
			return nil
		})
		if err != nil {
			return err
		}
		response, err = transport.JSON(200, out)
		return err
	})
	return response, err
}

// linked is a capital asset with a record that it stands for.
type linked struct {
	capitalAsset
	targetType, targetID string
}

// capitalAsset is what findings say of one.
type capitalAsset struct {
	id, name, state string
	number          *string
}

// finding begins one about the capital asset.
func (c *capitalAsset) finding() *ReconciliationFinding {
	return &ReconciliationFinding{CapitalAssetID: c.id, CapitalAssetNumber: c.number, CapitalAssetName: c.name, CapitalAssetState: c.state}
}

// label is what messages call it.
func (c *capitalAsset) label() string { return labelOf(c.number, c.name) }

// eachFinding gives the findings one after the other. Links are read in parts, and their records asked for outside of transactions,
// those of a kind together.
func (a *accounting) eachFinding(ctx context.Context, do func(*ReconciliationFinding) error) error {
	waiting := map[string][]linked{}
	for after := "00000000-0000-0000-0000-000000000000"; ; {
		read, last, err := a.linksAfter(ctx, after)
		if err != nil {
			return err
		}
		for _, l := range read {
			kind := l.targetType
			if waiting[kind] = append(waiting[kind], l); len(waiting[kind]) == maxLookedUp {
				if err := a.compare(ctx, waiting[kind], do); err != nil {
					return err
				}
				waiting[kind] = waiting[kind][:0]
			}
		}
		if after = last; len(read) < maxLookedUp {
			break
		}
	}
	for _, kind := range []string{"asset", "system", "building", "segment", "network", "site"} {
		if err := a.compare(ctx, waiting[kind], do); err != nil {
			return err
		}
	}
	return a.eachNotLinked(ctx, do)
}

// linksAfter reads links in the order of their ids, and gives the id of the last.
func (a *accounting) linksAfter(ctx context.Context, after string) (read []linked, last string, err error) {
	err = a.registry.DB.Read(ctx, func(ctx context.Context, tx pgx.Tx) error {
		rows, err := tx.Query(ctx, `SELECT l.id::text, c.id::text, c.number, c.name, c.state, l.target_type, l.target_id::text
			FROM link l JOIN capital_asset c ON c.organization_id = l.organization_id AND c.id = l.capital_asset_id
			WHERE l.organization_id = current_organization() AND l.id > $1 ORDER BY l.id LIMIT $2`, after, maxLookedUp)
		if err != nil {
			return err
		}
		var l linked
		_, err = pgx.ForEachRow(rows, []any{&last, &l.id, &l.number, &l.name, &l.state, &l.targetType, &l.targetID}, func() error {
			read = append(read, l)
			return nil
		})
		return err
	})
	return read, last, err
}

// compare asks the owner of records of one kind for them, and says where the ledger does not agree.
func (a *accounting) compare(ctx context.Context, links []linked, do func(*ReconciliationFinding) error) error {
	if len(links) == 0 {
		return nil
	}
	var ids []string
	for _, l := range links {
		ids = append(ids, l.targetID)
	}
	slices.Sort(ids)
	row, _ := a.registry.Catalogue.Named(links[0].targetType)
	entries, err := a.registry.References.Find(ctx, row.Name, reference.Query{IDs: slices.Compact(ids)})
	if err != nil {
		return err
	}
	records := map[string]*reference.Entry{}
	for i := range entries {
		records[entries[i].ID] = &entries[i]
	}
	may := principal.From(ctx).Allows(row.Scope+":read") && principal.From(ctx).Has(row.Feature)
	for _, l := range links {
		if found := l.compare(records[l.targetID], may); found != nil {
			if err := do(found); err != nil {
				return err
			}
		}
	}
	return nil
}

// compare says where a capital asset and its record do not agree; nil: nowhere. A network has no status. Of a record that the caller may
// not read it gives neither name nor status.
func (l *linked) compare(record *reference.Entry, mayRead bool) *ReconciliationFinding {
	f := l.finding()
	f.TargetType, f.TargetID = &l.targetType, &l.targetID
	if record == nil {
		f.Code, f.Message = "record_missing", fmt.Sprintf("There is no %s %s any more: remove the link from %s, and link what took its place.",
			l.targetType, l.targetID, l.label())
		return f
	}
	status := ""
	if record.Status != nil {
		status = *record.Status
	}
	name, state := l.targetID, "in service"
	if mayRead {
		f.TargetName, f.TargetStatus = &record.Name, record.Status
		name, state = record.Name, status
	} else if indicators.OutOfUse(status) {
		state = "out of use"
	}
	is := fmt.Sprintf("The %s %s is %s, and ", l.targetType, name, state)
	switch {
	case indicators.OutOfUse(status) && l.state == "in_service":
		f.Code, f.Message = "record_out_of_use", is+l.label()+" is still in service in the ledger: post its disposal, "+
			"or that of a part and remove the link."
	case indicators.OutOfUse(status) && l.state == "in_progress":
		f.Code, f.Message = "record_out_of_use", is+l.label()+" still has work in progress: take it out by a write_down of its work in "+
			"progress, or remove the link."
	case (status == "in_service" || status == "active") && l.state == "in_progress":
		f.Code, f.Message = "record_in_service", is+l.label()+" has work in progress only: post in_service once it is of use."
	default:
		return nil
	}
	return f
}

// eachNotLinked gives the capital assets in service that stand for no record.
func (a *accounting) eachNotLinked(ctx context.Context, do func(*ReconciliationFinding) error) error {
	for after := "00000000-0000-0000-0000-000000000000"; ; {
		read := 0
		var found []*ReconciliationFinding
		err := a.registry.DB.Read(ctx, func(ctx context.Context, tx pgx.Tx) error {
			rows, err := tx.Query(ctx, `SELECT c.id::text, c.number, c.name, EXISTS (SELECT FROM link l
				WHERE l.organization_id = current_organization() AND l.capital_asset_id = c.id)
				FROM (SELECT id, number, name FROM capital_asset WHERE organization_id = current_organization() AND id > $1 AND state = 'in_service'
					ORDER BY id LIMIT $2) c
				ORDER BY c.id`, after, maxRead)
			if err != nil {
				return err
			}
			c, isLinked := capitalAsset{state: "in_service"}, false
			_, err = pgx.ForEachRow(rows, []any{&c.id, &c.number, &c.name, &isLinked}, func() error {
				if after, read = c.id, read+1; !isLinked {
					f := c.finding()
					f.Code, f.Message = "not_linked", c.label()+" is in service and stands for no record: link what it is."
					found = append(found, f)
				}
				return nil
			})
			return err
		})
		if err != nil {
			return err
		}
		for _, f := range found {
			if err := do(f); err != nil {
				return err
			}
		}
		if read < maxRead {
			return nil
		}
	}
}
