//go:build race

package picture

// raceEnabled says whether the race detector is there, whose own memory is counted too.
const raceEnabled = true
