package planning

import (
	"testing"

	"ams.internal/libs/resource/resourcetest"
)

func TestGoldenOpenAPI(t *testing.T) {
	resourcetest.Golden(t, newFixture(t).Handler, "testdata/openapi.json")
}
