package main

import (
	"testing"

	"ams.internal/libs/resource/resourcetest"
)

func TestGoldenOpenAPI(t *testing.T) {
	resourcetest.Golden(t, open(t).key.Handler, "testdata/openapi.json")
}
