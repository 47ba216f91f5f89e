package demo

import (
	"fmt"
	"strings"
)

// surveyCycle is how many years are between two surveys of the same assets.
const surveyCycle = 4

// maxSurveys is how many assets have an earlier survey: a bulk call takes so many rows well.
const maxSurveys = 500

// earlierSurveys gives the assets as they were rated one cycle ago, and what was found since. Those are the assets that were looked at last
// year and have become worse, so that trends of the last years move.
func earlierSurveys(assets []record) (then, since []record) {
	then = append(then, assets...)
	last := fmt.Sprint(thisYear-1, "-")
	for i, asset := range assets {
		on, surveyed := asset["condition_assessed_on"].(string)
		rating, rated := asset["condition_rating"].(int)
		if !surveyed || !rated || rating == 1 || !strings.HasPrefix(on, last) || len(since) == maxSurveys ||
			builtIn(asset) >= thisYear-1-surveyCycle {
			continue
		}
		former := record{}
		for field, value := range asset {
			former[field] = value
		}
		former["condition_rating"] = rating - 1
		former["condition_assessed_on"] = fmt.Sprint(thisYear-1-surveyCycle, strings.TrimPrefix(on, fmt.Sprint(thisYear-1)))
		former["condition_method"] = "visual"
		then[i] = former
		since = append(since, record{"external_id": asset["external_id"], "condition_rating": rating, "condition_assessed_on": on,
			"condition_method": asset["condition_method"]})
	}
	return then, since
}

// builtIn is the year in which an asset was installed.
func builtIn(asset record) int {
	if year, known := asset["install_year"].(int); known {
		return year
	}
	var year int
	_, _ = fmt.Sscanf(fmt.Sprint(asset["install_date"]), "%d", &year)
	return year
}
