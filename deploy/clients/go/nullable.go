package ams

import (
	"encoding/json"

	"github.com/oapi-codegen/nullable"
)

// Nullable is a field of a patch: absent (the zero value: it stays as it is), null (it is cleared) or a value.
//
//	ams.AssetPatch{Location: ams.Set("Salle 2"), Notes: ams.Null[string]()}
type Nullable[T any] = nullable.Nullable[T]

// Set is a field that is given a value.
func Set[T any](value T) Nullable[T] { return nullable.NewNullableWithValue(value) }

// Null is a field that is cleared.
func Null[T any]() Nullable[T] { return nullable.NewNullNullable[T]() }

var _ json.Marshaler = Nullable[string]{}
