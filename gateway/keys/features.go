package keys

import (
	"ams.internal/libs/domain/catalogue"
	"ams.internal/libs/fault"
)

// NotInPlan refuses what needs a feature that the organization's plan does not include.
func NotInPlan(feature, plan string) *fault.Error {
	name := catalogue.Product().FeatureName(feature)
	e := fault.Forbidden("feature_not_in_plan",
		"%s is not included in the organization's plan (%s). Another plan or an add-on includes it; trying again does not help.", name, plan)
	e.Feature = name
	return e
}
