//go:build race

package service_test

// raceDetector: it multiplies the memory of a process.
const raceDetector = true
