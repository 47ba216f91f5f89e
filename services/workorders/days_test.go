package workorders

import (
	"net/http"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/calendar"
	"ams.internal/libs/principal"
	"ams.internal/libs/resource/resourcetest"
)

// in is a client of the same organization that is in another time zone.
func (f fixture) in(zone string) *resourcetest.Client {
	client := *f.Client
	client.Principal.TimeZone = zone
	return &client
}

func TestAWorkOrderIsOverdueByTheOrganizationsDay(t *testing.T) {
	f := newFixtureAlone(t)
	f.create(t, fields{"due_date": "2026-11-21"})
	for _, c := range []struct {
		zone, at string
		want     bool
	}{
		{"America/Vancouver", "2026-11-22T06:20:00Z", false}, // 22:20 on the 21st
		{"America/Vancouver", "2026-11-22T07:59:59Z", false},
		{"America/Vancouver", "2026-11-22T08:00:00Z", true},
		{"America/Toronto", "2026-11-22T04:59:59Z", false},
		{"America/Toronto", "2026-11-22T06:20:00Z", true},
		{"UTC", "2026-11-22T00:00:00Z", true},
	} {
		at, err := time.Parse(time.RFC3339, c.at)
		if err != nil {
			t.Fatal(err)
		}
		var got bool
		err = f.registry.DB.Batch(principal.Into(t.Context(), f.in(c.zone).Principal), func(batch *pgx.Batch) {
			batch.Queue("SELECT set_config('ams.today', $1, true)", calendar.Calendar{TimeZone: c.zone}.Day(at))
			batch.Queue("SELECT " + overdue + " FROM work_order t").QueryRow(func(row pgx.Row) error { return row.Scan(&got) })
		})
		if err != nil || got != c.want {
			t.Errorf("at %s in %s it is overdue: %v (%v), want %v", c.at, c.zone, got, err, c.want)
		}
	}
}

// The worked case: work that is due on 20 November is in time to the end of that day where the organization is.
func TestWorkIsInTimeToTheEndOfItsLastDay(t *testing.T) {
	f := newFixtureAlone(t)
	f.create(t, fields{"due_date": "2026-11-20"})
	for _, c := range []struct {
		zone, at string
		want     bool
	}{
		{"America/Toronto", "2026-11-21T03:00:00Z", false}, {"America/Toronto", "2026-11-21T05:00:00Z", true},
		{"America/St_Johns", "2026-11-21T03:29:59Z", false}, {"America/St_Johns", "2026-11-21T03:30:00Z", true},
	} {
		at, err := time.Parse(time.RFC3339, c.at)
		if err != nil {
			t.Fatal(err)
		}
		var got bool
		err = f.registry.DB.Batch(principal.Into(t.Context(), f.in(c.zone).Principal), func(batch *pgx.Batch) {
			batch.Queue("SELECT set_config('ams.today', $1, true)", calendar.Calendar{TimeZone: c.zone}.Day(at))
			batch.Queue("SELECT " + overdue + " FROM work_order t").QueryRow(func(row pgx.Row) error { return row.Scan(&got) })
		})
		if err != nil || got != c.want {
			t.Errorf("at %s in %s it is overdue: %v (%v), want %v", c.at, c.zone, got, err, c.want)
		}
	}
}

// Kiritimati is 25 hours ahead of Pago Pago, so that it is never the same day in both.
func TestListsAndCountsTakeTheDayOfTheCaller(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	east, west := f.in("Pacific/Kiritimati"), f.in("Pacific/Pago_Pago")
	path, _ := f.create(t, fields{"asset_id": assetIDs[0], "due_date": calendar.Calendar{TimeZone: "Pacific/Pago_Pago"}.Today()})
	for client, want := range map[*resourcetest.Client]bool{east: true, west: false} {
		zone := client.Principal.TimeZone
		if got := client.Must(t, http.StatusOK, "GET", path, nil).JSON["is_overdue"]; got != want {
			t.Errorf("in %s is_overdue is %v", zone, got)
		}
		if list, _ := client.List(t, "/v1/work-orders?overdue=true"); (len(list) == 1) != want {
			t.Errorf("in %s overdue=true finds %d", zone, len(list))
		}
		open := map[bool]string{true: "1 1", false: "1 0"}[want]
		if got := count(t, client, fields{"by": "asset_id"})[assetIDs[0]]; got != open {
			t.Errorf("in %s there are %q open and overdue, want %q", zone, got, open)
		}
	}
}

func TestOnTimeIsByTheOrganizationsDay(t *testing.T) {
	f := newFixtureAlone(t)
	db, err := pgx.Connect(t.Context(), f.database.OwnerURL)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close(t.Context())
	f.history(t, db, fields{"due_date": "2026-11-20"}, "2026-11-01T08:00Z", nil, "2026-11-20T21:00-05:00") // 02:00Z on the 21st
	for _, c := range []struct {
		zone, day string
		completed int
		onTime    any
	}{
		{"America/Toronto", "2026-11-20", 1, 100.0},
		{"America/Toronto", "2026-11-21", 0, nil},
		{"", "2026-11-20", 1, 100.0}, // Toronto is the default
		{"UTC", "2026-11-20", 0, nil},
		{"UTC", "2026-11-21", 1, 0.0},
	} {
		resourcetest.Expect(t, f.in(c.zone).Must(t, http.StatusOK, "POST", "/internal/work-orders/figures",
			fields{"period_start": c.day, "period_end": c.day}).JSON, fields{"completed": c.completed, "completed_on_time_pct": c.onTime})
	}
}

func TestBreaksCountOnTheOrganizationsDay(t *testing.T) {
	for _, c := range []struct{ zone, at, day string }{
		{"America/St_Johns", "2026-11-20T23:45-03:30", "2026-11-20"},
		{"America/Toronto", "2026-11-01T23:59-05:00", "2026-11-01"}, // summer time ends on a day of 25 hours
		{"America/Toronto", "2026-11-01T00:00-04:00", "2026-11-01"},
		{"America/Toronto", "2026-11-02T00:00-05:00", "2026-11-02"},
		{"UTC", "2026-11-02T04:59Z", "2026-11-02"},
	} {
		t.Run(c.zone+" "+c.at, func(t *testing.T) {
			f := newFixtureAlone(t)
			db, err := pgx.Connect(t.Context(), f.database.OwnerURL)
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close(t.Context())
			f.history(t, db, fields{"segment_id": segment, "problem_code": "break"}, c.at, nil, nil)
			on, err := time.Parse(time.DateOnly, c.day)
			if err != nil {
				t.Fatal(err)
			}
			for offset, want := range map[int]int{-1: 0, 0: 1, 1: 0} {
				day := on.AddDate(0, 0, offset).Format(time.DateOnly)
				found := f.in(c.zone).Must(t, http.StatusOK, "POST", "/internal/work-orders/breaks",
					fields{"period_start": day, "period_end": day}).JSON["data"].([]any)
				if len(found) != want {
					t.Errorf("%d segments broke on %s, want %d", len(found), day, want)
				}
			}
		})
	}
}

func TestABareDateInAFilterOfTimesIsTheOrganizationsDay(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.create(t, fields{"status": "completed", "completed_at": "2026-03-11T02:00:00Z"}) // 22:00 on the 10th in Toronto
	for zone, want := range map[string]map[string]int{
		"America/Toronto": {"from=2026-03-10": 1, "from=2026-03-11": 0, "to=2026-03-10": 1, "to=2026-03-09": 0},
		"UTC":             {"from=2026-03-10": 1, "from=2026-03-11": 1, "to=2026-03-10": 0, "to=2026-03-11": 1},
	} {
		for parameter, found := range want {
			if list, _ := f.in(zone).List(t, "/v1/work-orders?completed_at_"+parameter); len(list) != found {
				t.Errorf("in %s, completed_at_%s finds %d, want %d", zone, parameter, len(list), found)
			}
		}
	}
}
