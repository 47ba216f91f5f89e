package assets

import (
	"testing"

	"ams.internal/libs/resource/resourcetest"
)

func TestGoldenOpenAPI(t *testing.T) {
	resourcetest.Golden(t, serve(t).Handler, "testdata/openapi.json")
}
