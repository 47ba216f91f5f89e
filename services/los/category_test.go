package los

import (
	"slices"
	"testing"

	"ams.internal/libs/domain/indicators"
	"ams.internal/libs/schema"
)

// What other records say of the service that they help to provide is counted by the categories of service areas.
func TestServiceAreasHaveTheCategoriesOfOtherRecords(t *testing.T) {
	if own := schema.Of[ServiceArea]().Field("category").Enum; !slices.Equal(own, indicators.ServiceCategories) {
		t.Errorf("the categories of service areas are %v, of other records %v", own, indicators.ServiceCategories)
	}
}
