package engine

import "math"

// Pair is two inspections of one element that follow each other: the states, 0 to 4, and the years between.
type Pair struct{ From, To, Years int }

// PairYears is Δ = round(days/365.25), of days from 0 on.
func PairYears(days int) int { return (800*days + 146_100) / 292_200 }

const (
	estimateRounds = 1000
	estimateChange = 1e-9
)

// Estimate gives the matrix that makes pairs likeliest, by expectation and maximization: of every pair, which moves lie between its
// inspections is expected by the matrix so far. With one year between all it is n_ij/n_i (Anderson and Goodman, 1957; Kallen, 2007). A row
// with less than minPairs pairs that begin in its state is nil; counts says how many do. Pairs without a year between, or that improve, do
// not belong here.
func Estimate(pairs []Pair, minPairs int) (rows [States][]float64, counts [States]int) {
	longest := 1
	seen := map[Pair]float64{}
	for _, p := range pairs {
		seen[p]++
		counts[p.From]++
		longest = max(longest, p.Years)
	}
	p := firstGuess()
	for range estimateRounds {
		powers := powersOf(p, longest)
		var moves [States][States]float64
		for from := range States { // in one order, so that the sums are the same each time
			for to := from; to < States; to++ {
				for years := 1; years <= longest; years++ {
					if n := seen[Pair{from, to, years}]; n > 0 && powers[years][from][to] > 0 {
						expect(&moves, powers, from, to, years, n)
					}
				}
			}
		}
		change := 0.0
		for a := range States - 1 {
			total := 0.0
			for _, n := range moves[a] {
				total += n
			}
			if total == 0 {
				continue // nobody was here: as guessed
			}
			for b := a; b < States; b++ {
				change = max(change, math.Abs(moves[a][b]/total-p[a][b]))
				p[a][b] = moves[a][b] / total
			}
		}
		if change < estimateChange {
			break
		}
	}
	for state := range States - 1 {
		if counts[state] >= minPairs {
			rows[state] = p[state][:]
		}
	}
	rows[States-1] = p[States-1][:] // what is in the last state stays there
	return rows, counts
}

// firstGuess stays with .9, and goes to each lower state alike.
func firstGuess() *[States][States]float64 {
	var p [States][States]float64
	for a := range States - 1 {
		p[a][a] = .9
		for b := a + 1; b < States; b++ {
			p[a][b] = .1 / float64(States-1-a)
		}
	}
	p[States-1][States-1] = 1
	return &p
}

// powersOf gives P⁰ to Pⁿ.
func powersOf(p *[States][States]float64, n int) []*[States][States]float64 {
	powers := []*[States][States]float64{{}}
	for i := range States {
		powers[0][i][i] = 1
	}
	for range n {
		var next [States][States]float64
		last := powers[len(powers)-1]
		for i := range States {
			for j := range States {
				for k := range States {
					next[i][j] += float64(last[i][k] * p[k][j]) // not fused with the sum on any machine
				}
			}
		}
		powers = append(powers, &next)
	}
	return powers
}

// expect adds the moves that are expected between n pairs of inspections: E[n_ab] = Σ_{s<Δ} (Pˢ)_ia P_ab (P^{Δ−1−s})_bj / (P^Δ)_ij.
func expect(moves *[States][States]float64, powers []*[States][States]float64, from, to, years int, n float64) {
	for s := range years {
		for a := from; a <= to; a++ {
			for b := a; b <= to; b++ {
				moves[a][b] += n * powers[s][from][a] * powers[1][a][b] * powers[years-1-s][b][to] / powers[years][from][to]
			}
		}
	}
}
