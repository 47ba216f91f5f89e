//go:build !night

// Package testnight tells tests whether they run at night, "make night", where time is no matter: with the build tag night, which files
// have whose tests run then only.
package testnight

// Long is whether a test tries the same thing very often, or with very much.
const Long = false
