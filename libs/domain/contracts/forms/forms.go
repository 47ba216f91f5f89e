// Package forms is what the forms service does for other services: the contracts of its internal operations.
package forms

import "ams.internal/libs/reference"

// MakeTemplate makes a form that another service has as data, that of an inspection which a law asks for, or finds it by its code: an
// organization has it once.
var MakeTemplate = reference.Contract[PresetTemplate, MadeTemplate]{Owner: "forms", Path: "/forms/templates"}

// PresetTemplate is such a form.
type PresetTemplate struct {
	Code        string           `json:"code" required:"true" maxLength:"100"`
	Name        string           `json:"name" required:"true"`
	Description *string          `json:"description,omitempty" maxLength:"5000"`
	Items       []map[string]any `json:"items" required:"true" maxItems:"300" doc:"As POST /v1/form-templates takes them."`
	Publish     bool             `json:"publish" default:"false"`
}

// MadeTemplate is the template that was made of it, or was there.
type MadeTemplate struct {
	ID      string `json:"id"`
	Status  string `json:"status"`
	Created bool   `json:"created"`
}
