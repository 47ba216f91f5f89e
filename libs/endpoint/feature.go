package endpoint

import "ams.internal/libs/fault"

// featureNames are the words for features that people are told, the gateway's.
var featureNames = map[string]string{"los": "Level of Service", "infrastructure": "Infrastructure", "projects": "Projects"}

// NotInPlan is the 403 of an organization whose plan has no such feature.
func NotInPlan(feature string) *fault.Error {
	name := featureNames[feature]
	e := fault.Forbidden("feature_not_in_plan", "%s is not included in the organization's plan. Another plan or an add-on includes it; trying again does not help.", name)
	e.Feature = name
	return e
}
