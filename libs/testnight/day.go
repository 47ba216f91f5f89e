//go:build !night

// Package testnight tells tests whether they run at night ("make night"), where time does not matter. Files of tests that run only
// then have the build tag night.
package testnight

// Long is whether a test tries the same thing very often, or with very much.
const Long = false
