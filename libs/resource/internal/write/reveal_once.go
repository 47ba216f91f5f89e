package write

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/resource/internal/table"
	"ams.internal/libs/transport"
)

// CompleteOne puts the value that is shown once into the response to a create.
func (c *Resource) CompleteOne(ctx context.Context, response *transport.Response) error {
	records := []json.RawMessage{response.Body}
	err := c.complete(ctx, records, nil)
	response.Body = records[0]
	return err
}

// CompleteUpsert is CompleteOne for a call that may have created the record.
func (c *Resource) CompleteUpsert(ctx context.Context, response *transport.Response) error {
	if response.Status != http.StatusCreated {
		return nil
	}
	return c.CompleteOne(ctx, response)
}

// CompleteBulk is CompleteOne for the rows of a bulk call that made records.
func (c *Resource) CompleteBulk(ctx context.Context, response *transport.Response) error {
	var body struct {
		Data    []json.RawMessage `json:"data"`
		Results []Result          `json:"results"`
		Summary Summary           `json:"summary"`
	}
	if err := json.Unmarshal(response.Body, &body); err != nil {
		return fmt.Errorf("read the response to a bulk call: %w", err)
	}
	created := map[string]bool{}
	for _, result := range body.Results {
		created[result.ID] = created[result.ID] || result.Status == "created"
	}
	if err := c.complete(ctx, body.Data, created); err != nil {
		return err
	}
	encoded, err := json.Marshal(body)
	response.Body = encoded
	return err
}

// complete fills in the records that were created; all of them where created is nil.
func (c *Resource) complete(ctx context.Context, records []json.RawMessage, created map[string]bool) error {
	ids, places := []string{}, map[string]int{}
	for i, record := range records {
		var made struct {
			ID string `json:"id"`
		}
		if err := json.Unmarshal(record, &made); err != nil {
			return fmt.Errorf("read a record that was created: %w", err)
		}
		if created == nil || created[made.ID] {
			ids, places[made.ID] = append(ids, made.ID), i
		}
	}
	if len(ids) == 0 {
		return nil
	}
	var found map[string]string
	err := c.DB.Read(ctx, func(ctx context.Context, tx pgx.Tx) (err error) {
		found, err = c.RevealOnce.Find(ctx, tx, ids)
		return err
	})
	if err != nil {
		return c.Explain(err)
	}
	for id, value := range found {
		if i, wanted := places[id]; wanted {
			records[i] = c.withOnce(records[i], value)
		}
	}
	return nil
}

// withOnce replaces the null at the end of a record. The field is its last, so nothing that a caller wrote can be mistaken
// for it.
func (c *Resource) withOnce(record []byte, value string) []byte {
	before, empty := bytes.CutSuffix(record, []byte(`"`+c.RevealOnce.Field+`":null}`))
	if !empty {
		return record
	}
	shown := append([]byte{}, before...)
	shown = append(append(append(shown, '"'), c.RevealOnce.Field...), `":`...)
	return append(table.AppendText(shown, []byte(value)), '}')
}
