package indicators_test

import (
	"math/rand/v2"
	"testing"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/domain/indicators"
)

// stated is one statement about a condition; entered is its place in the list.
type stated struct {
	on     string
	method any
	rating int
}

func drivingRating(t *testing.T, db *pgx.Conn, statements []stated) int {
	t.Helper()
	var days []string
	var methods []any
	var ratings, entered []int
	for i, s := range statements {
		days, methods, ratings, entered = append(days, s.on), append(methods, s.method), append(ratings, s.rating), append(entered, i)
	}
	var rating int
	err := db.QueryRow(t.Context(), `SELECT s.rating
		FROM unnest($1::date[], $2::text[], $3::int[], $4::int[]) s (stated_on, method, rating, entered)
		ORDER BY `+indicators.DrivingRating("s.stated_on", indicators.Strong("s.method"), "s.entered")+` LIMIT 1`,
		days, methods, ratings, entered).Scan(&rating)
	if err != nil {
		t.Fatal(err)
	}
	return rating
}

func TestAnAssessmentOutweighsWhatIsReportedForFiveYears(t *testing.T) {
	db := connect(t)
	for _, c := range []struct {
		name       string
		statements []stated
		want       int
	}{
		{"an earlier assessment", []stated{{"2026-11-22", "reported", 2}, {"2026-09-30", "detailed", 5}}, 5},
		{"five years to the day", []stated{{"2026-09-30", "detailed", 5}, {"2031-09-30", "reported", 2}}, 5},
		{"a day more", []stated{{"2026-09-30", "detailed", 5}, {"2031-10-01", "reported", 2}}, 2},
		{"a leap day, five years later in February", []stated{{"2024-02-29", "visual", 5}, {"2029-02-28", "reported", 2}}, 5},
		{"a leap day, five years later in March", []stated{{"2024-02-29", "visual", 5}, {"2029-03-01", "reported", 2}}, 2},
		{"reported on a leap day", []stated{{"2028-02-29", "reported", 2}, {"2023-02-28", "visual", 5}}, 5},
		{"reported on a leap day and the day before", []stated{{"2028-02-29", "reported", 2}, {"2028-02-28", "reported", 4}}, 2},
		{"no method is strong", []stated{{"2026-09-30", nil, 5}, {"2026-11-22", "reported", 2}}, 5},
		{"by age is weak", []stated{{"2026-09-30", "desktop", 5}, {"2026-11-22", "age_based", 2}}, 5},
		{"the latest assessment", []stated{{"2026-09-30", "visual", 3}, {"2020-09-30", "detailed", 5}}, 3},
		{"the last entry of a day", []stated{{"2026-09-30", "visual", 3}, {"2026-09-30", "detailed", 5}}, 5},
		{"the last that was reported counts against it",
			[]stated{{"2033-01-01", "reported", 1}, {"2026-09-30", "visual", 3}, {"2030-01-01", "reported", 2}}, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := drivingRating(t, db, c.statements); got != c.want {
				t.Errorf("rating %d drives, want %d", got, c.want)
			}
		})
	}
}

// Whatever the order in which statements of different days are entered, the same one drives.
func TestTheOrderOfEntryDoesNotMatter(t *testing.T) {
	db, random := connect(t), rand.New(rand.NewPCG(7, 11))
	days := []string{"2019-02-28", "2020-02-29", "2021-06-30", "2024-02-29", "2025-02-28", "2025-03-01", "2026-06-30", "2026-07-01"}
	methods := []any{nil, "visual", "reported", "age_based", "detailed"}
	for range 40 {
		var statements []stated
		for i, n := range random.Perm(len(days))[:2+random.IntN(5)] {
			statements = append(statements, stated{days[n], methods[random.IntN(len(methods))], i + 1})
		}
		want := drivingRating(t, db, statements)
		for range 5 {
			random.Shuffle(len(statements), func(i, j int) { statements[i], statements[j] = statements[j], statements[i] })
			if got := drivingRating(t, db, statements); got != want {
				t.Fatalf("%v: %d drives, in another order %d", statements, got, want)
			}
		}
	}
}

func TestTheLatestDayDrivesACost(t *testing.T) {
	db := connect(t)
	for _, c := range []struct {
		name string
		rows string
		want int
	}{
		{"the later day", "('2024-05-01', false, 1, 1), ('2026-11-22', true, NULL, 2)", 2},
		{"on one day the record itself", "('2024-05-01', false, 1, 1), ('2024-05-01', true, NULL, 2)", 2},
		{"without a day", "('2019-01-01', false, 1, 1), (NULL, true, NULL, 2)", 1},
		{"alone without a day", "(NULL, true, NULL, 2)", 2},
		{"of two of one day the last", "('2019-01-01', false, 1, 1), ('2019-01-01', false, 2, 3)", 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got int
			if err := db.QueryRow(t.Context(), "SELECT s.cost FROM (VALUES "+c.rows+") s (stated_on, own, entered, cost) ORDER BY "+
				indicators.DrivingCost("s.stated_on::date", "s.own", "s.entered::int")+" LIMIT 1").Scan(&got); err != nil || got != c.want {
				t.Errorf("cost %d drives (%v), want %d", got, err, c.want)
			}
			// The same, with the record itself held against the first of all others.
			if err := db.QueryRow(t.Context(), "WITH s (stated_on, own, entered, cost) AS (VALUES "+c.rows+`)
				SELECT CASE WHEN `+indicators.OwnCostDrives("o.stated_on::date", "e.stated_on::date")+` THEN o.cost ELSE e.cost END
				FROM (SELECT) one LEFT JOIN (SELECT * FROM s WHERE own) o ON true LEFT JOIN (SELECT * FROM s WHERE NOT own ORDER BY `+
				indicators.DrivingCost("s.stated_on::date", "s.own", "s.entered::int")+" LIMIT 1) e ON true").Scan(&got); err != nil || got != c.want {
				t.Errorf("held against the record itself, cost %d drives (%v), want %d", got, err, c.want)
			}
		})
	}
}
