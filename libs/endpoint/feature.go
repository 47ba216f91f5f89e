package endpoint

import "ams.internal/libs/fault"

// featureNames are the names of features in messages to callers. The gateway has the same.
var featureNames = map[string]string{"los": "Level of Service", "infrastructure": "Infrastructure", "projects": "Projects"}

// NotInPlan is the 403 of an organization whose plan has no such feature.
func NotInPlan(feature string) *fault.Error {
	name := featureNames[feature]
	e := fault.Forbidden("feature_not_in_plan", "%s is not included in the organization's plan. "+
		"Another plan or an add-on includes it; trying again does not help.", name)
	e.Feature = name
	return e
}
