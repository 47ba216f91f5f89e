// Package ledger calculates the cost of capital assets and its amortization, by the conventions of their class. It knows no
// database: it takes the state of a capital asset on the first day of a fiscal year and the year's entries, and returns the year's
// movements and the state on the last day.
//
// Amounts are whole cents, rounded half away from zero. The rules are those of the usual reading of PS 3150 (Tangible Capital Assets) and
// PS 2120 (changes of estimates work forward only); where the standard leaves a choice, a class has a setting.
package ledger
