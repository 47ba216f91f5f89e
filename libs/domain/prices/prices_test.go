package prices_test

import (
	"context"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/domain/prices"
	"ams.internal/libs/postgres/postgrestest"
)

func connect(t *testing.T) *pgx.Conn {
	t.Helper()
	db, err := pgx.Connect(t.Context(), postgrestest.New(t, "prices", nil).Session)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close(context.WithoutCancel(t.Context())) })
	return db
}

var bring = "WITH " + prices.Rows("$1") + ", t AS (SELECT $2::numeric(15,2) AS cost, $3::int AS year) SELECT (" + prices.In("p", "t.cost") +
	")::text, " + prices.Known("p") + " FROM t" + prices.Join("p", "'roads'", "t.year")

func brought(t *testing.T, db *pgx.Conn, table prices.Table, cost string, year any) (got string, known bool) {
	t.Helper()
	if err := db.QueryRow(t.Context(), bring, table.JSON(), cost, year).Scan(&got, &known); err != nil {
		t.Fatal(err)
	}
	return got, known
}

func TestCostsAreBroughtByTheStepOfTheirYear(t *testing.T) {
	db := connect(t)
	table := prices.Table{PricesOf: 2026, Steps: []prices.Step{
		{Category: "roads", FromYear: 1990, ThroughYear: 2025, Value: "52.1", Target: "168.4"},
		{Category: "roads", FromYear: 2026, ThroughYear: prices.LastYear, Value: "168.4", Target: "168.4"},
		{Category: "water", FromYear: 1900, ThroughYear: prices.LastYear, Value: "1", Target: "9"}}}
	for _, c := range []struct {
		cost  string
		year  any
		want  string
		known bool
	}{
		{"100000", 1990, "323224.57", true}, {"1.00", 1990, "3.23", true}, {"100000", 2025, "323224.57", true},
		{"100000", 2026, "100000.00", true}, {"100000", 2200, "100000.00", true},
		{"100000", 1989, "100000.00", false}, {"100000", nil, "100000.00", false},
	} {
		if got, known := brought(t, db, table, c.cost, c.year); got != c.want || known != c.known {
			t.Errorf("%s of %v is %s (%v), want %s", c.cost, c.year, got, known, c.want)
		}
	}
	if got, known := brought(t, db, prices.Table{}, "5", 1990); got != "5.00" || known || !(prices.Table{}).Empty() || table.Empty() {
		t.Errorf("without an index %s (%v)", got, known)
	}
}

// The cent is that of exact fractions, half a cent away from zero.
func TestCostsAreRoundedOnce(t *testing.T) {
	db := connect(t)
	random := rand.New(rand.NewPCG(15, 1))
	ties := [][3]string{{"0.01", "2", "1"}, {"0.03", "2", "1"}, {"9999999999999.99", "99999999.9999", "99999999.9998"}}
	for range 300 {
		ties = append(ties, [3]string{decimal(random.Int64N(1e15), 2), decimal(1+random.Int64N(1e12), 4), decimal(1+random.Int64N(1e8), 4)})
	}
	for _, c := range ties {
		table := prices.Table{Steps: []prices.Step{{Category: "roads", FromYear: 2000, ThroughYear: 2000, Value: c[1], Target: c[2]}}}
		want := new(big.Rat).Mul(rat(c[0]), new(big.Rat).Quo(rat(c[2]), rat(c[1]))).FloatString(2)
		if got, _ := brought(t, db, table, c[0], 2000); got != want {
			t.Errorf("%s × %s / %s is %s, want %s", c[0], c[2], c[1], got, want)
		}
	}
}

// decimal is n as a decimal number with so many places.
func decimal(n int64, places int) string {
	scale := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(places)), nil)
	return new(big.Rat).SetFrac(big.NewInt(n), scale).FloatString(places)
}

func rat(text string) *big.Rat {
	value, _ := new(big.Rat).SetString(text)
	return value
}
