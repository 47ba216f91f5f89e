package endpoint

import (
	"ams.internal/libs/domain/catalogue"
	"ams.internal/libs/fault"
)

// NotInPlan is the 403 of an organization whose plan has no such feature.
func NotInPlan(feature string) *fault.Error {
	name := catalogue.Product().FeatureName(feature)
	e := fault.Forbidden("feature_not_in_plan", "%s is not included in the organization's plan. "+
		"Another plan or an add-on includes it; trying again does not help.", name)
	e.Feature = name
	return e
}
