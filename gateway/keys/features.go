package keys

import "ams.internal/libs/fault"

// APIAccess is the feature without which an organization's keys do nothing.
const APIAccess = "api_access"

// featureNames are the words for features that people are told; the features of each plan are data, in the database.
var featureNames = map[string]string{
	APIAccess:        "API access",
	"los":            "Level of Service",
	"infrastructure": "Infrastructure",
	"projects":       "Projects",
}

// FeatureName is the word for a feature that people are told.
func FeatureName(feature string) string { return featureNames[feature] }

// NotInPlan refuses what needs a feature that the organization's plan does not include.
func NotInPlan(feature, plan string) *fault.Error {
	name := featureNames[feature]
	e := fault.Forbidden("feature_not_in_plan",
		"%s is not included in the organization's plan (%s). Another plan or an add-on includes it; trying again does not help.", name, plan)
	e.Feature = name
	return e
}
