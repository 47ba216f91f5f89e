package adoption

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	ams "ams.internal/clients/go"
	"ams.internal/services/accounting/ledger"
)

// reject says why the service did not take what was made of an asset.
func (r *run) reject(asset *Asset, reason string) error {
	r.result.Rejected++
	return r.Job.LeftOut(asset, "was refused: "+reason)
}

// refusal is the reason of a row that was refused.
func refusal(row ams.BulkRow) string {
	var reasons []string
	for _, field := range row.Fields {
		_, name, _ := strings.Cut(field.Field, ".")
		reasons = append(reasons, name+" "+field.Message)
	}
	if len(reasons) == 0 {
		return row.Error
	}
	return strings.Join(reasons, "; ")
}

// bulk makes records, of those that are made of assets, and gives what the service has of each asset now, nil where it refused. What is
// there with the same external id is left as it is, or is refused for the reason skipped.
func bulk[R any](ctx context.Context, r *run, name string, some []*adopted, bodies []map[string]any,
	skipped func(context.Context, *adopted) (string, error)) ([]*R, error) {
	got, err := collection[R](r.client, name).BulkCreate(ctx, bodies, ams.BulkOptions{EachOnItsOwn: true, OnConflict: ams.ConflictSkip})
	if err != nil {
		return nil, err
	}
	made, next := make([]*R, len(some)), 0
	for _, row := range got.Results {
		switch {
		case row.Index < 0 || row.Index >= len(some):
			return nil, fmt.Errorf("the service's answer names row %d of a call with %d rows", row.Index, len(some))
		case row.Status == "failed":
			if err := r.reject(some[row.Index].asset, refusal(row)); err != nil {
				return nil, err
			}
		case next == len(got.Data):
			return nil, fmt.Errorf("the service's answer has %d records of %d rows", len(got.Data), len(some))
		case row.Status == "skipped" && skipped != nil:
			next++
			reason, err := skipped(ctx, some[row.Index])
			if err == nil {
				err = r.reject(some[row.Index].asset, reason)
			}
			if err != nil {
				return nil, err
			}
		default:
			made[row.Index] = &got.Data[next]
			next++
		}
	}
	return made, nil
}

// makeDrafts makes the capital assets that are not there.
func (r *run) makeDrafts(ctx context.Context, some []*adopted) ([]*adopted, error) {
	var missing []*adopted
	var bodies []map[string]any
	for _, a := range some {
		if a.draft == nil {
			missing, bodies = append(missing, a), append(bodies, a.asset.draft(a.class))
		}
	}
	if len(missing) == 0 {
		return some, nil
	}
	made, err := bulk[capitalAsset](ctx, r, "capital_assets", missing, bodies, nil)
	if err != nil {
		return nil, err
	}
	for i, a := range missing {
		a.draft = made[i]
	}
	return slices.DeleteFunc(some, func(a *adopted) bool { return a.draft == nil }), nil
}

// linksAtOnce is how many capital assets are linked at the same time: each takes a call of its own.
const linksAtOnce = 4

// link says of each draft which asset it stands for.
func (r *run) link(ctx context.Context, some []*adopted) ([]*adopted, error) {
	refused := make([]*ams.Error, len(some))
	var linked atomic.Int64
	before := r.result.Assets
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(linksAtOnce)
	for i, a := range some {
		group.Go(func() error {
			_, err := r.client.CapitalAssets.Links(a.draft.ID).BulkCreateRows(ctx,
				[]map[string]any{{"external_id": a.asset.externalID(), "target_type": "asset",
					"target_id": a.asset.ID}}, ams.BulkOptions{OnConflict: ams.ConflictSkip})
			if failure := new(ams.Error); errors.As(err, &failure) && slices.Contains([]int{400, 404, 409}, failure.Status) {
				refused[i], err = failure, nil
			}
			r.Progress(before+int(linked.Add(1)), r.total)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	var left []*adopted
	for i, a := range some {
		if refused[i] == nil {
			left = append(left, a)
		} else if err := r.reject(a.asset, refused[i].Message); err != nil {
			return nil, err
		}
	}
	return left, nil
}

// mayBeDeleted says how a draft is taken away. Whatever entries it has are reversed: else it is no draft.
func (c *capitalAsset) mayBeDeleted() string {
	return fmt.Sprintf("may be deleted: amsctl delete %s %s", strings.TrimPrefix(pathOf("capital_assets"), "/v1/"), c.ID)
}

// whyNotPosted is why nothing is posted for a draft that has an entry: the entry was reversed, and none is posted a second time by itself;
// or another run was quicker.
func (r *run) whyNotPosted(ctx context.Context, a *adopted) (string, error) {
	now, err := collection[capitalAsset](r.client, "capital_assets").Get(ctx, a.draft.ID, nil)
	if err != nil {
		return "", err
	}
	if now.State != "draft" {
		return "its entry was posted meanwhile, by somebody else", nil
	}
	return "its entries are all reversed: post another one yourself; or, where it is not wanted, its draft " + a.draft.mayBeDeleted(), nil
}

// post posts the entries.
func (r *run) post(ctx context.Context, some []*adopted) ([]*adopted, error) {
	var posted []*adopted
	var bodies []map[string]any
	var amortized []ledger.Cents
	for _, a := range some {
		body, accumulated, err := r.entry(a.asset, a.draft)
		if err != nil {
			if err := r.reject(a.asset, err.Error()); err != nil {
				return nil, err
			}
			continue
		}
		posted, bodies, amortized = append(posted, a), append(bodies, body), append(amortized, accumulated)
	}
	if len(posted) == 0 {
		return nil, nil
	}
	made, err := bulk[struct{}](ctx, r, "capital_asset_transactions", posted, bodies, r.whyNotPosted)
	if err != nil {
		return nil, err
	}
	for i, a := range posted {
		if made[i] != nil {
			r.count(a, amortized[i])
		}
	}
	return posted, nil
}

// pretend counts what would be adopted.
func (r *run) pretend(some []*adopted) error {
	for _, a := range some {
		draft := a.draft
		if draft == nil {
			draft = &capitalAsset{ClassID: a.class.ID, UsefulLifeYears: a.class.UsefulLifeYears, UsefulLifeMonths: a.class.UsefulLifeMonths}
			if a.class.amortized() && a.asset.ResidualValue != nil {
				draft.ResidualValue = *a.asset.ResidualValue
			}
		}
		_, accumulated, err := r.entry(a.asset, draft)
		if err != nil {
			if err := r.reject(a.asset, err.Error()); err != nil {
				return err
			}
			continue
		}
		r.count(a, accumulated)
	}
	return nil
}
