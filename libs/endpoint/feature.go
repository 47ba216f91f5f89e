package endpoint

import (
	"ams.internal/libs/domain/catalogue"
	"ams.internal/libs/fault"
	"ams.internal/libs/principal"
)

// ScopeMissing is the 403 of a key without a scope. format is the sentence, which says what needs it.
func ScopeMissing(p principal.Principal, scope, format string, args ...any) *fault.Error {
	e := fault.Forbidden("scope_missing", format, args...)
	e.Required, e.Scopes = scope, p.Scopes
	return e
}

// NotInPlan is the 403 of an organization whose plan has no such feature.
func NotInPlan(feature string) *fault.Error {
	name := catalogue.Product().FeatureName(feature)
	e := fault.Forbidden("feature_not_in_plan", "%s is not included in the organization's plan. "+
		"Another plan or an add-on includes it; trying again does not help.", name)
	e.Feature = name
	return e
}
