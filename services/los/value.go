package los

import (
	"context"
	"math"

	"github.com/jackc/pgx/v5"
)

// fieldError reports what is wrong with a field.
type fieldError func(field, format string, args ...any)

// valueKinds gives the value_kind of measures, and locks the measures until the transaction ends, so that none changes meanwhile.
func valueKinds(ctx context.Context, tx pgx.Tx, measures []string) (map[string]string, error) {
	rows, err := tx.Query(ctx, `SELECT id::text, value_kind FROM measure
		WHERE organization_id = current_organization() AND id = ANY($1::uuid[]) ORDER BY id FOR SHARE`, measures)
	if err != nil {
		return nil, err
	}
	kinds := map[string]string{}
	var id, kind string
	_, err = pgx.ForEachRow(rows, []any{&id, &kind}, func() error { kinds[id] = kind; return nil })
	return kinds, err
}

// checkValue checks a value by the kind of its measure. The number is in one field and the text in another.
func checkValue(kind string, number *float64, text *string, numberField, textField string, fieldError fieldError) {
	switch kind {
	case "narrative":
		if number != nil {
			fieldError(numberField, "is a number, but the measure's value_kind is narrative; put the text into %s and leave %s out",
				textField, numberField)
		}
		if text == nil {
			fieldError(textField, "is required: the measure's value_kind is narrative, so its values are texts")
		}
		return
	case "rating":
		if number == nil && text == nil {
			fieldError(numberField, "is required: the measure's value_kind is rating; give a number here, or a word such as good in %s", textField)
		}
	default:
		if text != nil {
			fieldError(textField, "is a text, but the measure's value_kind is %s; put the number into %s and leave %s out", kind,
				numberField, textField)
		}
		if number == nil {
			fieldError(numberField, "is required: the measure's value_kind is %s, so its values are numbers", kind)
		}
	}
	checkNumber(kind, number, numberField, fieldError)
}

// checkNumber checks a number, if there is one, by the kind of its measure.
func checkNumber(kind string, number *float64, field string, fieldError fieldError) {
	switch {
	case number == nil:
	case kind == "narrative":
		fieldError(field, "is a number, but the measure's value_kind is narrative; leave it out")
	case kind == "count" && (*number < 0 || *number != math.Trunc(*number)):
		fieldError(field, "must be a whole number, 0 or more: the measure's value_kind is count")
	case kind == "hours" && *number < 0:
		fieldError(field, "must be 0 or more: the measure's value_kind is hours")
	case kind == "money" && math.Abs(*number*100-math.Round(*number*100)) > 1e-6*math.Max(1, math.Abs(*number)):
		fieldError(field, "must have at most 2 decimals: the measure's value_kind is money")
	}
}
