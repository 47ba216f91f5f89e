package workorders

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/postgres/postgrestest"
	"ams.internal/libs/reference"
	"ams.internal/libs/resource"
	"ams.internal/libs/resource/resourcetest"
	"ams.internal/libs/testshare"
	"ams.internal/libs/transport"
)

type fields = map[string]any

// Records that the other services of the tests have, in every organization. Site, building, system and asset 0 are inside
// of each other, so are those of 1; the segment is on site 0, the fence outside of buildings on site 0, and the tablet nowhere.
var (
	siteIDs     = [2]string{"019a3c5e-0000-7000-8000-000000000010", "019a3c5e-0000-7000-8000-000000000011"}
	buildingIDs = [2]string{"019a3c5e-0000-7000-8000-000000000020", "019a3c5e-0000-7000-8000-000000000021"}
	systemIDs   = [2]string{"019a3c5e-0000-7000-8000-000000000030", "019a3c5e-0000-7000-8000-000000000031"}
	assetIDs    = [2]string{"019a3c5e-0000-7000-8000-000000000040", "019a3c5e-0000-7000-8000-000000000041"}
)

const (
	fence     = "019a3c5e-0000-7000-8000-000000000042"
	tablet    = "019a3c5e-0000-7000-8000-000000000043"
	segment   = "019a3c5e-0000-7000-8000-000000000050"
	project   = "019a3c5e-0000-7000-8000-000000000060"
	user      = "019a3c5e-0000-7000-8000-000000000070"
	suspended = "019a3c5e-0000-7000-8000-000000000071"
	team      = "019a3c5e-0000-7000-8000-000000000080"
	template  = "019a3c5e-0000-7000-8000-000000000090"
	disbanded = "019a3c5e-0000-7000-8000-000000000081"
	nobody    = "019a3c5e-0000-7000-8000-0000000000ff"
)

// fixture is the service, with stand-ins for the other services.
type fixture struct {
	*resourcetest.Client
	database *postgrestest.Database
	peers    *resourcetest.Peers
	registry *resource.Registry
	owners   *owners // of what effects change
}

func (f fixture) orders() orders { return orders{f.registry} }

func TestMain(m *testing.M) { testshare.Main(m) }

// shared is the fixture that tests share.
var shared = testshare.Once(func(t testing.TB) fixture { return newFixtureAlone(t) })

// newFixture gives an organization of its own.
func newFixture(t testing.TB) fixture {
	t.Helper()
	f := shared(t)
	all := resourcetest.Shared{Client: f.Client, Peers: f.peers, Database: f.database}
	f.Client, f.peers = all.Share(t)
	f.owners = newOwners()
	f.owners.speak(f.peers)
	return f
}

// newFixtureAlone gives a service and a database that no other test uses: for those that work on all that is there, as the background does.
func newFixtureAlone(t testing.TB) fixture {
	t.Helper()
	database := postgrestest.New(t, "workorders", migrations)
	db := database.Open(t)
	signer := resourcetest.NewSigner(t)
	log := resourcetest.Log(t)
	peers := resourcetest.NewPeers(t, signer)
	activeStatus, inactive := "active", "suspended"
	for i := range 2 {
		peers.Keep("sites", reference.Entry{ID: siteIDs[i], Name: "École Saint-Joseph"})
		peers.Keep("buildings", reference.Entry{ID: buildingIDs[i], Name: "Pavillon", References: map[string]string{"site_id": siteIDs[i]}})
		peers.Keep("systems", reference.Entry{ID: systemIDs[i], Name: "Chauffage",
			References: map[string]string{"building_id": buildingIDs[i], "site_id": siteIDs[i]}})
		peers.Keep("assets", reference.Entry{ID: assetIDs[i], Name: "Pompe",
			References: map[string]string{"system_id": systemIDs[i], "building_id": buildingIDs[i], "site_id": siteIDs[i]}})
	}
	peers.Keep("assets", reference.Entry{ID: fence, Name: "Clôture", References: map[string]string{"site_id": siteIDs[0]}},
		reference.Entry{ID: tablet, Name: "Tablette"})
	peers.Keep("segments", reference.Entry{ID: segment, Name: "Rue du Port",
		References: map[string]string{"network_id": nobody, "site_id": siteIDs[0]}})
	peers.Keep("projects", reference.Entry{ID: project, Name: "Réfection du toit", References: map[string]string{"site_id": siteIDs[1]}})
	peers.Keep("users", reference.Entry{ID: user, Name: "Geneviève Côté", Status: &activeStatus},
		reference.Entry{ID: suspended, Name: "Jean Roy", Status: &inactive})
	peers.Keep("form_templates", reference.Entry{ID: template, Name: "Extincteurs"})
	peers.Keep("teams", reference.Entry{ID: team, Name: "Jour", Status: &activeStatus},
		reference.Entry{ID: disbanded, Name: "Nuit", Status: &inactive})
	registry := resource.NewRegistry(transport.New(signer, db, log), db, peers.References)
	handler := orders{registry}.handler()
	owners := newOwners()
	owners.speak(peers)
	peers.Handle("workorders", "/internal/effects", handler)
	return fixture{resourcetest.NewClient(handler, signer), database, peers, registry, owners}
}

// owner is a connection that sees every organization.
func (f fixture) owner(t testing.TB) *pgx.Conn {
	t.Helper()
	db, err := pgx.Connect(t.Context(), f.database.OwnerURL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close(context.WithoutCancel(t.Context())) })
	return db
}

// create makes a work order and gives its path.
func (f fixture) create(t testing.TB, body fields) (path string, record fields) {
	t.Helper()
	if body["title"] == nil {
		body["title"] = "Remplacer le joint"
	}
	record = f.Create(t, "/v1/work-orders", body)
	return "/v1/work-orders/" + record["id"].(string), record
}
