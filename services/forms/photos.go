package forms

import (
	"context"
	"fmt"

	"ams.internal/libs/reference"
	"ams.internal/libs/schema"
)

// checkPhotos makes sure that the documents are there which answers to items of type photo name by their ids; other entries are names or
// addresses, and are not looked at. Their owner is asked once, and not at all where no answer names a document.
func (f forms) checkPhotos(ctx context.Context, items FormItems, answers Answers) error {
	var ids []string
	at := map[string][]string{} // where an id stands
	for _, item := range items {
		if item.Type != "photo" {
			continue
		}
		photos, _ := answers[item.Key].([]any)
		for i, photo := range photos {
			if id, _ := photo.(string); schema.IsUUID(id) {
				ids = append(ids, id)
				at[id] = append(at[id], fmt.Sprintf("answers.%s[%d]", item.Key, i))
			}
		}
	}
	if ids == nil {
		return nil
	}
	found, err := f.registry.References.Find(ctx, "documents", reference.Query{IDs: ids})
	if err != nil {
		return err
	}
	for _, entry := range found {
		if entry.Status == nil || *entry.Status != "trashed" {
			delete(at, entry.ID)
		}
	}
	var problems schema.Problems
	for _, id := range ids {
		for _, place := range at[id] {
			problems.AddMissing(place, "is no document of this organization; add the photo with POST /v1/documents first")
		}
		delete(at, id)
	}
	return problems.Err()
}
