package effects

import (
	"errors"

	"github.com/google/uuid"

	"ams.internal/libs/fault"
)

// RecordIn gives the id of a record that a payload names.
func RecordIn(payload map[string]any, field string) (string, error) {
	text, _ := payload[field].(string)
	id, err := uuid.Parse(text)
	if err != nil {
		return "", fault.InvalidFields(fault.Field{Field: field, Message: "must be the id of a record"})
	}
	return id.String(), nil
}

// Named gives a refusal the field of the payload that it is about, where it names another one of the record or none. Problems with fields
// of a body that the payload brings keep theirs.
func Named(err error, field, id string) error {
	var refused *fault.Error
	if !errors.As(err, &refused) || refused.Kind != fault.KindNotFound && refused.Kind != fault.KindConflict {
		return err
	}
	named := *refused
	named.Field, named.Value = field, id
	return &named
}
