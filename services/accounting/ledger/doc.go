// Package ledger reckons what capital assets cost and how their cost is amortized, by the conventions that a class of them has. It knows
// nothing of where entries are kept: it is given the state of a capital asset on the first day of a fiscal year, and the entries of that
// year, and gives the year's movements and the state on the last day.
//
// Amounts are whole cents, rounded half away from zero. The rules are those of the usual reading of PS 3150 (Tangible Capital Assets) and
// PS 2120 (changes of estimates work forward only); where the standard leaves a choice, a class has a setting.
package ledger
