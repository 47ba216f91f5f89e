package users

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"ams.internal/libs/resource/resourcetest"
)

func TestConformanceOfTeams(t *testing.T) {
	f := newFixture(t)
	resourcetest.Run(t, resourcetest.Suite[Team]{Definition: teams, Client: f.key, Path: "/v1/teams", Make: makeTeam})
}

// teamMembers counts the users that were made as members, whose addresses differ.
var teamMembers atomic.Int64

func makeTeam(t testing.TB, client *resourcetest.Client, n int) map[string]any {
	member := createMember(t, client, fmt.Sprintf("membre-%d-%d@example.ca", n, teamMembers.Add(1)), active)
	return map[string]any{
		"name": fmt.Sprintf("Équipe %d", n), "code": fmt.Sprintf("EQ-%d", n), "user_ids": []any{member}, "lead_user_id": member,
		"status": []string{"active", "inactive"}[n%2], "external_id": fmt.Sprintf("team-%d", n), "tags": []string{"nuit"},
		"custom_fields": map[string]any{"quart": "nuit"},
	}
}

// createMember creates a user in a state and gives the id.
func createMember(t testing.TB, client *resourcetest.Client, email, status string) string {
	t.Helper()
	return client.Create(t, "/v1/users", map[string]any{"email": email, "name": "Jean Roy", "status": status})["id"].(string)
}

func TestMembersAndLeadsAreActiveWhenTheyJoin(t *testing.T) {
	f := newFixture(t)
	roy := createMember(t, f.key, "roy@example.ca", active)
	suspended := createMember(t, f.key, "suspended@example.ca", suspended)
	invited := createMember(t, f.key, "invited@example.ca", "invited")
	for name, c := range map[string]struct {
		body    map[string]any
		refused string
	}{
		"a suspended member":       {map[string]any{"user_ids": []any{roy, suspended}}, "user_ids"},
		"an invited member":        {map[string]any{"user_ids": []any{invited}}, "user_ids"},
		"a suspended lead":         {map[string]any{"lead_user_id": suspended}, "lead_user_id"},
		"a member twice":           {map[string]any{"user_ids": []any{roy, roy}}, "user_ids"},
		"a member whom nobody has": {map[string]any{"user_ids": []any{"019a3c5e-0000-7000-8000-0000000000ff"}}, "user_ids"},
		"an active lead":           {map[string]any{"lead_user_id": roy}, ""},
	} {
		c.body["name"] = name
		if c.refused == "" {
			f.key.Create(t, "/v1/teams", c.body)
		} else if response := f.key.Refused(t, "POST", "/v1/teams", c.body); !slices.Contains(response.Fields(), c.refused) {
			t.Errorf("%s: refused %v, want %s", name, response.Fields(), c.refused)
		}
	}
	// Who is suspended later may stay, and leave, and not come back.
	path := "/v1/teams/" + f.key.Create(t, "/v1/teams", map[string]any{"name": "Jour", "user_ids": []any{roy}})["id"].(string)
	f.key.Must(t, 200, "PATCH", "/v1/users/"+roy, map[string]any{"status": "suspended"})
	other := createMember(t, f.key, "other@example.ca", active)
	f.key.Must(t, 200, "PATCH", path, map[string]any{"user_ids": []any{roy, other}})
	f.key.Must(t, 200, "PATCH", path, map[string]any{"user_ids": []any{other}})
	f.key.Must(t, 400, "PATCH", path, map[string]any{"user_ids": []any{roy, other}})
}

func TestATeamHasAtMost200Members(t *testing.T) {
	f := newFixture(t)
	var rows, ids []any
	for n := range 201 {
		rows = append(rows, map[string]any{"email": fmt.Sprintf("m%d@example.ca", n), "name": "Jean Roy", "status": active})
	}
	for _, made := range f.key.Must(t, 200, "POST", "/v1/users/bulk", map[string]any{"data": rows}).JSON["data"].([]any) {
		ids = append(ids, made.(map[string]any)["id"])
	}
	response := f.key.Must(t, 400, "POST", "/v1/teams", map[string]any{"name": "Tous", "user_ids": ids})
	if !slices.Equal(response.Fields(), []string{"user_ids"}) || !strings.Contains(response.JSON["error"].(string), "200") {
		t.Errorf("201 members: %s", response.Body)
	}
	team := f.key.Create(t, "/v1/teams", map[string]any{"name": "Presque tous", "user_ids": ids[:200]})
	if members := team["user_ids"].([]any); len(members) != 200 {
		t.Errorf("the team has %d members", len(members))
	}
}

func TestTeamsOfAnotherOrganizationAreNotThere(t *testing.T) {
	f := newFixture(t)
	made := f.key.Create(t, "/v1/teams", map[string]any{"name": "Jour"})
	other := f.otherOrganization().key
	other.Must(t, 404, "GET", "/v1/teams/"+made["id"].(string), nil)
	other.Create(t, "/v1/teams", map[string]any{"name": "Jour"}) // the name is free there
	stranger := createMember(t, other, "x@example.ca", active)
	f.key.Must(t, 404, "PATCH", "/v1/teams/"+made["id"].(string), map[string]any{"user_ids": []any{stranger}})
}
