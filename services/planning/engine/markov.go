package engine

// States are the five ratings, the best first.
const States = 5

// Shares are how much of something is in each state, in 10⁻⁹; together a billion.
type Shares [States]int64

// Matrix is the probability, in 10⁻⁹, that what is in the state of a row is in that of a column a year later. It goes down or stays.
type Matrix [States][States]int64

// middles are the conditions that stand for the states: the middles of the bands of ratings 1 to 5.
var middles = [States]Condition{92_500, 77_500, 62_500, 47_500, 20_000}

// MiddleOfRating is the condition that stands for a rating, 1 to 5.
func MiddleOfRating(rating int) Condition { return middles[rating-1] }

// StateOf has all of something in the state of a rating, 1 to 5.
func StateOf(rating int) Shares {
	var s Shares
	s[rating-1] = billion
	return s
}

// Staying is the matrix of what stays in states 1 to 4 with these probabilities, in 10⁻⁹, and else goes one down.
func Staying(stay [States - 1]int64) Matrix {
	var m Matrix
	for i, p := range stay {
		m[i][i], m[i][i+1] = p, billion-p
	}
	m[States-1][States-1] = billion
	return m
}

// StayOfMean is the probability to stay in a state for which the mean is so many years: 1 − 1/τ.
func StayOfMean(years float64) int64 { return nearest(1 - 1/years) }

// StayOfMedian is the probability to stay in a state that half have left after so many years: 0.5^(1/T) (NCHRP report 713).
func StayOfMedian(years float64) int64 { return nearest(power(0.5, 1/years)) }

// nearest is a share in 10⁻⁹.
func nearest(share float64) int64 { return int64(float64(share*billion) + 0.5) }

// Next gives the shares a year later, halves up; what is left of a billion is in the last state.
func (m *Matrix) Next(now Shares) Shares {
	var next Shares
	left := int64(billion)
	for to := 0; to < States-1; to++ {
		var sum int64
		for from := 0; from <= to; from++ {
			sum += now[from] * m[from][to]
		}
		next[to] = min((sum+billion/2)/billion, left)
		left -= next[to]
	}
	next[States-1] = left
	return next
}

// After gives the shares after a time. Of a part of a year it is as far on the way from the whole years before it to those after it, halves
// up: what is left of a billion is in the last state.
func (m *Matrix) After(now Shares, passed Age) Shares {
	for range passed / year {
		now = m.Next(now)
	}
	part := int64(passed % year)
	if part == 0 {
		return now
	}
	next, left := m.Next(now), int64(billion)
	for state := range States - 1 {
		share := now[state]*int64(year) + (next[state]-now[state])*part
		now[state] = min((share+int64(year)/2)/int64(year), left)
		left -= now[state]
	}
	now[States-1] = left
	return now
}

// Condition is the mean of the states' middles.
func (s Shares) Condition() Condition {
	sum := int64(billion / 2)
	for state, share := range s {
		sum += share * int64(middles[state])
	}
	return Condition(sum / billion)
}

// Better moves everything up by so many states.
func (s Shares) Better(by int) Shares {
	var better Shares
	for state, share := range s {
		better[max(0, state-by)] += share
	}
	return better
}

// Move is where chance, 0 ≤ p < 10⁹, takes what is in a state, 0 to 4, within a year.
func (m *Matrix) Move(state int, p int64) int { return pick(Shares(m[state]), p) }
