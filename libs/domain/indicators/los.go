package indicators

// Level of service: how a value that was measured compares with its target, and where it is heading. Values and targets are
// SQL expressions of type numeric, so that a band of a tenth has exact bounds.

// Attainments are the words that Attainment gives, best first.
var Attainments = []string{"met", "near", "missed", "no_target"}

// Attainment is the word for a value against its target. tolerance is p in percent of the target's size, the width of near:
//
//	higher_is_better  v ≥ t met, v ≥ t − |t|·p/100 near, else missed
//	lower_is_better   v ≤ t met, v ≤ t + |t|·p/100 near, else missed
//	target_is_best    |v − t| ≤ |t|·p/100 met, ≤ twice that near, else missed
//
// Without a value or a target that is a number there is nothing to compare: no_target.
func Attainment(direction, value, target, tolerance string) string {
	band := "abs(" + target + ") * " + tolerance + " / 100"
	off := "abs(" + VarianceFromTarget(value, target) + ")"
	return "CASE WHEN " + value + " IS NULL OR " + target + " IS NULL THEN 'no_target' ELSE CASE " + direction +
		" WHEN 'higher_is_better' THEN " + bands(value+" >= "+target, value+" >= "+target+" - "+band) +
		" WHEN 'lower_is_better' THEN " + bands(value+" <= "+target, value+" <= "+target+" + "+band) +
		" WHEN 'target_is_best' THEN " + bands(off+" <= "+band, off+" <= 2 * "+band) +
		" END END"
}

func bands(met, near string) string {
	return "CASE WHEN " + met + " THEN 'met' WHEN " + near + " THEN 'near' ELSE 'missed' END"
}

// VarianceFromTarget is the value less its target, signed: below the target is negative, whichever direction is better.
func VarianceFromTarget(value, target string) string { return "(" + value + " - " + target + ")" }

// Trends are the words that Trend gives, best first.
var Trends = []string{"improving", "stable", "declining"}

// Trend is the word for the step from the previous value to the latest: stable within ±1 % of the previous one, else
// improving or declining by direction. With target_is_best, nearer to the target is improving and as far from it on the
// other side is stable; without a target that is not known.
func Trend(direction, previous, latest, target string) string {
	return "CASE WHEN abs(" + latest + " - " + previous + ") <= abs(" + previous + ") * 0.01 THEN 'stable' ELSE CASE " + direction +
		" WHEN 'higher_is_better' THEN " + heading(latest+" - "+previous) +
		" WHEN 'lower_is_better' THEN " + heading(previous+" - "+latest) +
		" WHEN 'target_is_best' THEN " + heading("abs("+previous+" - "+target+") - abs("+latest+" - "+target+")") +
		" END END"
}

// heading is the word for a gain, which is positive for the better.
func heading(gain string) string {
	return "CASE sign(" + gain + ") WHEN 1 THEN 'improving' WHEN 0 THEN 'stable' WHEN -1 THEN 'declining' END"
}

// Stale is whether a measurement is too old to describe the present: its period ended more than two years before
// asOf.
func Stale(periodEnd, asOf string) string {
	return "(" + periodEnd + " < " + asOf + " - interval '2 years')"
}
