package load

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
)

// ReadBack reads every collection of an organization as a stream, and some records one by one: each that was acknowledged is there,
// in the version that was acknowledged or a later one.
func (o *Organization) ReadBack(ctx context.Context, b *Balancer) (missing []string, err error) {
	versions := map[string]int{}
	for _, c := range Collections {
		if err := o.readAll(ctx, b, c, versions); err != nil {
			return nil, fmt.Errorf("reading %s back: %w", c.Path, err)
		}
	}
	records := o.Records()
	for _, r := range records {
		if versions[r.ID] < r.Version {
			missing = append(missing, fmt.Sprintf("acknowledged, and not to be read: %s/%s version %d (there is version %d)",
				Collections[r.Collection].Path, r.ID, r.Version, versions[r.ID]))
		}
	}
	for range min(10, len(records)) {
		r := records[rand.IntN(len(records))]
		response := b.Do(ctx, o.Get(r).Call)
		if _, version, err := Written(response.Body); response.Err != nil || err != nil || version < r.Version {
			missing = append(missing, fmt.Sprintf("acknowledged, and not to be read by its id: %s/%s version %d: %d %.200s",
				Collections[r.Collection].Path, r.ID, r.Version, response.Status, response.Body))
		}
	}
	return missing, nil
}

// readAll notes the version of each record of a collection.
func (o *Organization) readAll(ctx context.Context, b *Balancer, c Collection, versions map[string]int) error {
	response := b.Do(ctx, Call{Method: http.MethodGet, Path: c.Path, Key: o.Key(), Accept: "application/x-ndjson"})
	if response.Err != nil || response.Status != http.StatusOK {
		return fmt.Errorf("%d %s %w", response.Status, response.Code(), response.Err)
	}
	lines := bufio.NewScanner(bytes.NewReader(response.Body))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var r struct {
			ID      string
			Version int
		}
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			return err
		}
		versions[r.ID] = r.Version
	}
	return lines.Err()
}
