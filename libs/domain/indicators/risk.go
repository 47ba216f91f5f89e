package indicators

import (
	"fmt"
	"strings"
)

// Probability is the probability of failure, 1 to 5: the one given, else the condition rating, because an asset in
// worse condition is likelier to fail (IIMM, risk by condition).
func Probability(t string) string {
	return "coalesce(" + t + ".probability_of_failure, " + t + ".condition_rating)"
}

// RiskScore is probability times consequence of failure, 1 to 25 (the 5 × 5 matrix of ISO 31000 practice).
func RiskScore(t string) string {
	return "(" + Probability(t) + " * " + t + ".consequence_of_failure)"
}

// riskLevels are the words for a risk score, each with the highest score it covers.
var riskLevels = []level{{4, "very_low"}, {7, "low"}, {9, "moderate"}, {14, "high"}, {25, "very_high"}}

// RiskLevels are the words that RiskLevel gives, lowest risk first.
var RiskLevels = []string{"very_low", "low", "moderate", "high", "very_high"}

// RiskLevel is the word for a risk score, which is an SQL expression.
func RiskLevel(score string) string { return words(score, riskLevels) }

// level is a word for every value up to and including max.
type level struct {
	max  int
	word string
}

// words is the CASE that gives the word of the first level that covers value; above all of them the last one's.
func words(value string, levels []level) string {
	var b strings.Builder
	b.WriteString("CASE")
	last := len(levels) - 1
	for _, l := range levels[:last] {
		fmt.Fprintf(&b, " WHEN %s <= %d THEN '%s'", value, l.max, l.word)
	}
	fmt.Fprintf(&b, " WHEN %s > %d THEN '%s' END", value, levels[last-1].max, levels[last].word)
	return b.String()
}

// RiskLevelOf is RiskLevel of a score that is known.
func RiskLevelOf(score int) string {
	for _, l := range riskLevels {
		if score <= l.max {
			return l.word
		}
	}
	return riskLevels[len(riskLevels)-1].word
}
