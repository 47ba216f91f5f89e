package demo

import (
	"hash/fnv"
	"math/rand/v2"
	"time"
)

// generator makes the records of a family, with chances of their own: what one family gets does not depend on another.
// day is the day of the writing, in UTC: work is open or overdue as of that day.
func (b blueprint) generator(family string, userIDs []string, day time.Time, estate dataset) *generator {
	seed := fnv.New64a()
	seed.Write([]byte(b.name + "/" + family))
	g := &generator{blueprint: b, random: rand.New(rand.NewPCG(seed.Sum64(), 1)), day: day, data: estate}
	g.resolvePeople(userIDs)
	return g
}

func (g *generator) resolvePeople(userIDs []string) {
	for i, id := range userIDs {
		switch g.people[i].role {
		case "manager":
			g.managers = append(g.managers, id)
		case "technician":
			g.technicians = append(g.technicians, id)
		case "requester":
			g.requesters = append(g.requesters, g.people[i])
		}
	}
}

// date is so many days after the day of the writing.
func (g *generator) date(days int) string { return g.day.AddDate(0, 0, days).Format(time.DateOnly) }

// moment is a time in working hours, so many days after the day of the writing.
func (g *generator) moment(days, minutes int) string {
	return g.day.AddDate(0, 0, days).Add(13*time.Hour + time.Duration(minutes)*time.Minute).Format(time.RFC3339)
}

func (g *generator) year() int { return g.day.Year() }

// chance is true so many times in a hundred.
func (g *generator) chance(percent int) bool { return g.random.IntN(100) < percent }

// between is a number with two decimals, for prices.
func (g *generator) between(low, high float64) float64 {
	return round(low+(high-low)*g.random.Float64(), 2)
}

// one of them, or the zero value of none.
func one[T any](g *generator, choices []T) (chosen T) {
	if len(choices) > 0 {
		chosen = choices[g.random.IntN(len(choices))]
	}
	return chosen
}
