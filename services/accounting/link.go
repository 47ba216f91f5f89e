package accounting

import (
	"context"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/fault"
	"ams.internal/libs/resource"
)

// CapitalAssetLink says that a capital asset stands for a record, wholly or in part.
type CapitalAssetLink struct {
	resource.Record
	CapitalAssetID string  `json:"capital_asset_id" readOnly:"true" references:"capital_assets" doc:"The capital asset." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
	TargetType     string  `json:"target_type" required:"true" enum:"asset,system,building,segment,network,site" filter:"equals" sort:"true" doc:"What kind of record target_id is of." example:"segment"`
	TargetID       string  `json:"target_id" required:"true" references:"@target_type" unique:"capital_asset_id,target_type" filter:"equals" doc:"The record; a capital asset has one link to it. One capital asset may stand for many records, and several for one. It cannot be deleted while the link is there." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
	Note           *string `json:"note" maxLength:"1000" search:"text" doc:"What the capital asset has to do with it." example:"Fondation de la chaussée"`
}

// maxLinks is how many links a capital asset has at most.
const maxLinks = 5000

var links = resource.Definition[CapitalAssetLink]{
	Collection: "capital_asset_links", Table: "link", Parent: "capital_asset_id", Label: "target_type",
	BeforeWrite: func(ctx context.Context, tx pgx.Tx, changes []*resource.Change[CapitalAssetLink]) error {
		var created []*resource.Change[CapitalAssetLink]
		for _, c := range changes {
			if c.Before == nil {
				created = append(created, c)
			}
		}
		if len(created) == 0 {
			return nil
		}
		existing, parent := 0, created[0].After.CapitalAssetID // the path names one capital asset
		if err := tx.QueryRow(ctx, `SELECT count(*) FROM (SELECT FROM link WHERE organization_id = current_organization()
			AND capital_asset_id = $1 LIMIT $2) l`, parent, maxLinks).Scan(&existing); err != nil {
			return err
		}
		for i, c := range created {
			if existing+i >= maxLinks {
				c.Reject(fault.Conflict("too_many_links", "capital_asset_id", parent,
					"A capital asset has at most %d links; make another for what is left.", maxLinks))
			}
		}
		return nil
	},
}
