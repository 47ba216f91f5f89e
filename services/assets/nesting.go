package assets

import (
	"context"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/resource"
)

// maxNesting is how many levels assets nest: an asset without a parent is at level 1.
const maxNesting = 10

// nesting is the part of the organization's tree of assets that a call changes.
type nesting struct {
	parent map[string]string // of every ancestor of the assets concerned
	height map[string]int    // levels below an asset that gets another parent
}

// checkNesting rejects parents that would make an asset a part of itself, or nest too deep. The rows of a call are applied in their
// order, each to the result of those before it.
func checkNesting(ctx context.Context, tx pgx.Tx, changes []*resource.Change[Asset]) error {
	var nested []*resource.Change[Asset]
	var parents, existing []string
	for _, c := range changes {
		if c.After == nil || c.After.ParentAssetID == nil || c.Before != nil && resource.Same(c.Before.ParentAssetID, c.After.ParentAssetID) {
			continue
		}
		nested = append(nested, c)
		parents = append(parents, *c.After.ParentAssetID)
		if c.Before != nil {
			existing = append(existing, c.ID())
		}
	}
	if nested == nil {
		return nil
	}
	tree, err := readNesting(ctx, tx, parents, existing)
	if err != nil {
		return err
	}
	for _, c := range changes {
		if c.Before != nil && c.After != nil && c.After.ParentAssetID == nil {
			delete(tree.parent, c.ID())
		}
	}
	for _, c := range nested {
		tree.attach(c)
	}
	return nil
}

// readNesting reads the ancestors of parents and the height of what is below existing. It waits for other transactions that change
// the same organization's tree, because two changes that are valid alone can make a cycle together.
func readNesting(ctx context.Context, tx pgx.Tx, parents, existing []string) (nesting, error) {
	tree := nesting{map[string]string{}, map[string]int{}}
	batch := &pgx.Batch{}
	batch.Queue(`SELECT pg_advisory_xact_lock(hashtextextended('asset nesting ' || current_organization()::text, 0))`)
	batch.Queue(`
		WITH RECURSIVE up AS (
			SELECT id, parent_asset_id, 1 AS level FROM asset WHERE organization_id = current_organization() AND id = ANY($1::uuid[])
			UNION
			SELECT a.id, a.parent_asset_id, up.level + 1 FROM up JOIN asset a ON a.organization_id = current_organization()
				AND a.id = up.parent_asset_id
			WHERE up.level <= $2)
		SELECT DISTINCT id::text, parent_asset_id::text FROM up WHERE parent_asset_id IS NOT NULL`, parents, maxNesting).
		Query(func(rows pgx.Rows) error {
			var id, parent string
			_, err := pgx.ForEachRow(rows, []any{&id, &parent}, func() error { tree.parent[id] = parent; return nil })
			return err
		})
	batch.Queue(`
		WITH RECURSIVE down AS (
			SELECT id AS root, id, 0 AS level FROM asset WHERE organization_id = current_organization() AND id = ANY($1::uuid[])
			UNION ALL
			SELECT down.root, a.id, down.level + 1 FROM down JOIN asset a ON a.organization_id = current_organization()
				AND a.parent_asset_id = down.id
			WHERE down.level < $2)
		SELECT root::text, max(level) FROM down GROUP BY root`, existing, maxNesting).
		Query(func(rows pgx.Rows) error {
			var root string
			var height int
			_, err := pgx.ForEachRow(rows, []any{&root, &height}, func() error { tree.height[root] = height; return nil })
			return err
		})
	return tree, tx.SendBatch(ctx, batch).Close()
}

// attach puts the asset of a change below its parent, or reports a field error.
func (n nesting) attach(c *resource.Change[Asset]) {
	var ancestors []string
	for id := *c.After.ParentAssetID; id != "" && len(ancestors) <= maxNesting; id = n.parent[id] {
		if id == c.ID() {
			c.FieldError("parent_asset_id", "would make the asset a part of itself")
			return
		}
		ancestors = append(ancestors, id)
	}
	if levels := len(ancestors) + 1 + n.height[c.ID()]; levels > maxNesting {
		c.FieldError("parent_asset_id", "would nest assets more than %d levels deep", maxNesting)
		return
	}
	n.parent[c.ID()] = *c.After.ParentAssetID
	for i, id := range ancestors {
		n.height[id] = max(n.height[id], n.height[c.ID()]+i+1)
	}
}
