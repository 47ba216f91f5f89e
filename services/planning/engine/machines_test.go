package engine

import (
	"math/rand/v2"
	"os/exec"
	"regexp"
	"testing"
)

// What a run comes to is the same on every machine: this is what it was on the first. Where the rules change, so does Version.
func TestResultsAreTheSameOnEveryMachine(t *testing.T) {
	in := chance(rand.New(rand.NewPCG(5, 6)), 500, 25)
	const want = "3c58bcd84e0df40847472572ca5ad3be72fb3b61f216d3e67705580092daf34c"
	if _, sum := result(t, in, &Scenario{BenefitYears: 20, Funds: funded(in, 60)}); sum != want {
		t.Errorf("the results have the hash %s, not %s", sum, want)
	}
}

// fused is a multiplication and an addition in one instruction, whose result is rounded once and not twice. Go makes one of x*y + z on some
// processors unless the product is converted.
var fused = regexp.MustCompile(`\tFN?M(ADD|SUB)[SD]\t`)

func TestNoProductIsFusedWithASum(t *testing.T) {
	command := exec.CommandContext(t.Context(), "go", "build", "-gcflags=-S", "-o", "/dev/null", ".")
	command.Env = append(command.Environ(), "GOARCH=arm64", "CGO_ENABLED=0")
	assembly, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, assembly)
	}
	if !regexp.MustCompile(`\tFMULD\t`).Match(assembly) {
		t.Error("there is no multiplication of floats in what was compiled")
	}
	for _, found := range fused.FindAllIndex(assembly, -1) {
		t.Errorf("%s", assembly[max(0, found[0]-300):min(len(assembly), found[1]+100)])
	}
}
