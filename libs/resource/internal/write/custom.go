package write

import (
	"context"
	"reflect"

	"ams.internal/libs/principal"
	"ams.internal/libs/resource/internal/change"
	"ams.internal/libs/resource/internal/custom"
	"ams.internal/libs/schema"
)

// What an organization has declared of custom fields is read beside the statement that writes the records, in its round trip, and not
// kept between calls: a declaration holds for every write that begins after it, in whichever process.

// concernsCustomFields says whether declarations of custom fields are about any of the changes. A change that leaves the custom fields
// alone costs nothing, and is not held against what was written before a declaration.
func (c *Resource) concernsCustomFields(changes []*change.Change) bool {
	if !c.DeclaresCustomFields() {
		return false
	}
	for _, it := range changes {
		if it.After != nil && (it.Before == nil || c.categoryOf(it.Before) != c.categoryOf(it.After) ||
			!reflect.DeepEqual(c.customFieldsOf(it.Before), c.customFieldsOf(it.After))) {
			return true
		}
	}
	return false
}

// customFieldsOf gives the custom fields of a record; nil is a record that is not there.
func (c *Resource) customFieldsOf(record any) schema.OpenObject {
	if record == nil {
		return nil
	}
	fields, _ := c.Schema.Field("custom_fields").Get(change.Record(record)).(schema.OpenObject)
	return fields
}

// categoryOf is what kind of record it is, "" for none.
func (c *Resource) categoryOf(record any) string {
	if c.Category == "" || record == nil {
		return ""
	}
	category, _ := c.Schema.Field(c.Category).Get(change.Record(record)).(string)
	return category
}

// refuseUndeclared objects to custom fields that are not as they are declared. Those that stay as they were are left alone, unless a
// declaration holds for the record because of this change. What a service does by itself, such as the work that a plan makes, has nobody
// who could give a required value: it is written, and listed with what does not meet the declaration.
func (c *Resource) refuseUndeclared(ctx context.Context, changes []*change.Change, declared []custom.Field) (found error) {
	if len(declared) == 0 {
		return nil
	}
	bySomebody := len(principal.From(ctx).Scopes) > 0
	for _, it := range changes {
		before, after := c.customFieldsOf(it.Before), c.customFieldsOf(it.After)
		for i := range declared {
			field := &declared[i]
			value := after[field.Key]
			held := it.Before != nil && field.HoldsFor(c.categoryOf(it.Before))
			if !field.HoldsFor(c.categoryOf(it.After)) || held && reflect.DeepEqual(before[field.Key], value) || value == nil && !bySomebody {
				continue
			}
			if objection := field.Objection(c.Table, value); objection != "" {
				it.FieldError(custom.Prefix+field.Key, "%s", objection)
				found = errRefused
			}
		}
	}
	return found
}
