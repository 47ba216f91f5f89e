package indicators

// A statement is what somebody said of a condition or a cost on a day: an assessment, an inspection, or what was set on the record itself.
// The figures of a record are those of the statement that drives it, derived anew from all of them, so that they do not depend on the
// order in which statements were entered.

// ReportedMethod is the method of a rating that is set on a record itself, unless another one is given with it.
const ReportedMethod = "reported"

// Strong is whether a statement rests on somebody having looked: method, an SQL expression, is neither age_based nor reported. One
// without a method (NULL) is strong.
func Strong(method string) string {
	return "(" + method + " IS NULL OR " + method + " NOT IN ('age_based', '" + ReportedMethod + "'))"
}

// StrongYears is for how many years a strong statement outweighs weaker ones: the cycle of building condition assessments.
const StrongYears = "5"

// DrivingRating is the ORDER BY list whose first row is the statement that drives the condition rating. Of the last strong one S and the
// last weak one W, S drives while its date is not before W's less five calendar years, where a day that does not exist becomes the last
// of its month; else W. Last is of the latest day, then the one entered last.
//
// statedOn (date), strong (boolean, of Strong) and entered (anything that grows) are SQL expressions over the statements of one record.
func DrivingRating(statedOn, strong, entered string) string {
	return "CASE WHEN " + strong + " THEN " + statedOn + " ELSE (" + statedOn + " - interval '" + StrongYears + " years')::date END DESC, " +
		strong + " DESC, " + statedOn + " DESC, " + entered + " DESC"
}

// DrivingCost is the ORDER BY list whose first row is the statement that drives a cost: that of the latest day, on one day what was said
// on the record itself, then the one entered last. One without a day (NULL) is behind all that have one.
//
// statedOn (date), own (boolean: said on the record itself) and entered (anything that grows) are SQL expressions over the statements of
// one record.
func DrivingCost(statedOn, own, entered string) string {
	return statedOn + " DESC NULLS LAST, " + own + " DESC, " + entered + " DESC NULLS LAST"
}

// OwnCostDrives is whether what was said on the record itself comes before what DrivingCost has first of all other statements: their day is
// not later, or there is none. ownOn and statedOn are SQL expressions for the days; statedOn is NULL where there is no other statement.
func OwnCostDrives(ownOn, statedOn string) string {
	return "(" + statedOn + " IS NULL OR coalesce(" + ownOn + " >= " + statedOn + ", false))"
}

// Confident is whether the condition rests on somebody having looked within the five years before a day. It reads condition_rating,
// condition_assessed_on and condition_method.
func Confident(t, asOf string) string {
	return "coalesce(" + t + ".condition_rating IS NOT NULL AND " + Strong(t+".condition_method") + " AND " + t +
		".condition_assessed_on >= (" + asOf + " - interval '" + StrongYears + " years')::date, false)"
}
