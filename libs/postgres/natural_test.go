package postgres_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ams.internal/libs/natural"
	"ams.internal/libs/postgres/postgrestest"
)

// What a program sorts, and what the database sorts, is in one order.
func TestProgramsAndTheDatabaseHaveOneNaturalOrder(t *testing.T) {
	t.Parallel()
	want := []string{"", "-5", "-1969", "9", "10", "1960-1969", "1970-", "A-1.9", "A-1.10", "D20", "D30",
		"Edifice 2", "édifice 2", "Édifice 2", "Edifice 10", "Œuvre", "R2D2", "R10", "Room 0", "Room 0a",
		"room 1", "Room 01", "Room 1", "Room 02", "Room 2", "Room 10", "Site 3-2", "Site 3-10", "WO-9", "WO-000010",
		"x 1", "x 99999999999999999999999999999999999"}
	given := slices.Clone(want)
	rand.New(rand.NewPCG(90, 1)).Shuffle(len(given), func(i, j int) { given[i], given[j] = given[j], given[i] })
	if got := inDatabase(t, given); !slices.Equal(got, want) {
		t.Errorf("the database: %q, want %q", got, want)
	}
	if slices.SortFunc(given, natural.Order()); !slices.Equal(given, want) {
		t.Errorf("programs: %q, want %q", given, want)
	}
	random := rand.New(rand.NewPCG(90, 3))
	given = given[:0]
	for range 2000 {
		var text strings.Builder
		for range random.IntN(7) {
			text.WriteString([]string{"0", "1", "9", "10", "a", "B", "é", "É", " ", "-", ".", "_"}[random.IntN(12)])
		}
		given = append(given, text.String())
	}
	byDatabase := inDatabase(t, given)
	slices.SortFunc(given, natural.Order())
	for i, text := range given {
		if text != byDatabase[i] {
			t.Fatalf("at %d programs have %q, and the database has %q", i, text, byDatabase[i])
		}
	}
}

// inDatabase sorts texts by the collation.
func inDatabase(t *testing.T, texts []string) (sorted []string) {
	t.Helper()
	err := postgrestest.New(t, "library", nil).Open(t).Pool().QueryRow(t.Context(),
		`SELECT array_agg(name ORDER BY name COLLATE "natural") FROM unnest($1::text[]) name`, texts).Scan(&sorted)
	if err != nil {
		t.Fatal(err)
	}
	return sorted
}
