//go:build night

package testnight

// Long is whether a test tries the same thing very often, or with very much.
const Long = true
