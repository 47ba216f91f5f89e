// Package engine calculates what an inventory will need, and its future under a scenario: year by year, element by element, in whole
// numbers, so that the same input gives the same bytes on any machine. It knows no database, no clock and no organization.
//
// A year has five parts:
//
//  1. Find. Each element has a condition, and options: the treatments of its class's strategy that are triggered, and catching up on
//     deferred maintenance. An option has a cost, at the year's prices, and a benefit: the area between the conditions (or risks) with it
//     and without it over the years of the benefit, times the value, as pavement management has it. Options that a mix of two others
//     outdoes fall; the rest is the frontier. What an element needs is its most expensive option on the frontier, or its deferred
//     maintenance, if that is more.
//  2. Override. What somebody has decided is done, whatever it costs.
//  3. Choose. Without limits the best option of each element. On a budget, the steps between the options of all frontiers by ratio of what
//     they add to what they cost, as far as caps and funds allow: incremental benefit–cost analysis (INCBEN, Farid and others, for bridges;
//     as a multiple-choice knapsack, Sinha and Zoltners, 1979). For an aim, of the sets of steps that a further one completes the cheapest,
//     less what it can spare: the greedy heuristic of the minimum knapsack (Csirik, Frenk, Labbé and Zhang, 1991).
//  4. Treat. Effects take place, and the figures of the year are added up: spent, backlog, condition, risk.
//  5. Age. A year passes.
//
// Backlogs are bridged: last year's, at this year's prices, and what is new or grown, less what was addressed, is this year's, to the cent.
package engine
