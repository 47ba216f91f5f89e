package indicators

import "math"

// Grades are the five condition grades of the IIMM and of ISO 55000 practice, best first: Grades[0] belongs to
// rating 1. Canada's Core Public Infrastructure Survey reports with the same five words.
var Grades = []string{"very_good", "good", "fair", "poor", "very_poor"}

// ConditionGrade is the word for condition_rating, 1 (very good) to 5 (very poor).
func ConditionGrade(t string) string {
	return "CASE " + t + ".condition_rating WHEN 1 THEN 'very_good' WHEN 2 THEN 'good' WHEN 3 THEN 'fair' WHEN 4 THEN 'poor' " +
		"WHEN 5 THEN 'very_poor' END"
}

// Index is a condition index of the field with its range and its translation to the five ratings.
type Index struct {
	Minimum, Maximum float64
	rate             func(value float64) int // nil: the condition does not follow from the index alone
}

// Indexes are the condition indexes that inspections report:
// pci, the Pavement Condition Index (ASTM D6433, 0 failed to 100 good); bci, the Bridge Condition Index of the
// Ontario Structure Inspection Manual (0 to 100 best), with bands of its own; other_100, any other index on that scale; pacp_5, the
// structural grade of NASSCO's Pipeline Assessment Certification Program and iimm_5, the IIMM's grade (1 best to 5
// worst, as our ratings); iri, the International Roughness Index in m/km, which has no common translation.
var Indexes = map[string]Index{
	"pci":       {0, 100, hundred.rating},
	"bci":       {0, 100, structures.rating},
	"other_100": {0, 100, hundred.rating},
	"pacp_5":    {1, 5, five},
	"iimm_5":    {1, 5, five},
	"iri":       {0, 50, nil},
}

// Rating translates a value of the index to a condition rating. It is false where no rating follows from the index.
func (i Index) Rating(value float64) (rating int, known bool) {
	if i.rate == nil || !i.Contains(value) {
		return 0, false
	}
	return i.rate(value), true
}

// Contains reports whether the value is on the index's scale.
func (i Index) Contains(value float64) bool { return value >= i.Minimum && value <= i.Maximum }

// scale has the lower ends of ratings 1 to 4 of an index from 0 to 100.
type scale [4]float64

var (
	hundred = scale{85, 70, 55, 40}
	// structures are graded as the Ministry of Transportation of Ontario does: from 70 good, from 60 fair, below poor. That 85 and 40 part
	// the best and the worst of these is ours.
	structures = scale{85, 70, 60, 40}
)

func (s scale) rating(value float64) int {
	for i, minimum := range s {
		if value >= minimum {
			return i + 1
		}
	}
	return 5
}

func five(value float64) int { return int(math.Round(value)) }
