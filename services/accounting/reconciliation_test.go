package accounting

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"

	"ams.internal/libs/reference"
)

const reconciliationPath = "/v1/accounting/reconciliation"

// keep has the owner of a collection know a record with a status, and gives its id.
func (f *fixture) keep(collection, name, status string) string {
	id := uuid.Must(uuid.NewV7()).String()
	entry := reference.Entry{ID: id, Name: name}
	if status != "" {
		entry.Status = &status
	}
	f.peers.Keep(collection, entry)
	return id
}

// link links a capital asset to a record.
func (f *fixture) link(t testing.TB, asset, kind, target string) {
	t.Helper()
	f.Create(t, pathOf("capital_assets")+"/"+asset+"/links", fields{"target_type": kind, "target_id": target})
}

// findings are those of the reconciliation as "code number record", with the counts of the groups.
func (f *fixture) findings(t testing.TB) (found map[string]fields, counts string) {
	t.Helper()
	found = map[string]fields{}
	report := f.Must(t, http.StatusOK, "GET", reconciliationPath, nil).JSON
	total := 0.0
	for _, each := range report["data"].([]any) {
		group := each.(fields)
		counts += fmt.Sprintf("%s %v ", group["code"], group["count"])
		total += group["count"].(float64)
		for _, each := range group["findings"].([]any) {
			finding := each.(fields)
			if finding["code"] != group["code"] {
				t.Errorf("%v is in the group %v", finding, group["code"])
			}
			found[fmt.Sprint(finding["code"], " ", finding["capital_asset_number"], " ", finding["target_name"])] = finding
		}
	}
	if report["total"] != total {
		t.Errorf("%v in all, and %v in the groups", report["total"], total)
	}
	return found, strings.TrimSpace(counts)
}

// Where ledger and register differ is said by capital asset and record, in words; what agrees is not there.
func TestReconciliationSaysWhereLedgerAndRecordsDiffer(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.open(t, 2025)
	class := f.class(t, "half_year", 20, nil)
	inService := func(number string) string {
		asset := f.asset(t, class, fields{"number": number})
		f.post(t, asset, "acquisition", "2025-02-01", fields{"amount": 1000})
		return asset
	}
	inProgress := func(number string) string {
		asset := f.asset(t, class, fields{"number": number})
		f.post(t, asset, "construction", "2025-02-01", fields{"amount": 1000})
		return asset
	}
	if _, counts := f.findings(t); counts != "record_missing 0 record_out_of_use 0 record_in_service 0 not_linked 0" {
		t.Errorf("of nothing: %s", counts)
	}
	// What agrees.
	agrees, building := inService("A-1"), inProgress("A-2")
	f.link(t, agrees, "asset", f.keep("assets", "Pompe en service", "in_service"))
	f.link(t, agrees, "network", f.keep("networks", "Réseau", ""))
	f.link(t, agrees, "site", f.keep("sites", "Parc fermé pour l’hiver", "inactive"))
	f.link(t, agrees, "building", f.keep("buildings", "Mairie vacante", "vacant"))
	f.link(t, building, "building", f.keep("buildings", "Aréna prévue", "planned"))
	sold := inService("A-3")
	f.link(t, sold, "asset", f.keep("assets", "Camion vendu", "disposed"))
	f.post(t, sold, "disposal", "2025-03-01", fields{"proceeds": 10})
	f.link(t, f.asset(t, class, fields{"number": "A-4"}), "asset", f.keep("assets", "Jamais comptée", "disposed")) // a draft
	// What does not.
	pump, both := inService("B-1"), inService("B-2")
	f.link(t, pump, "asset", f.keep("assets", "Pompe vendue", "disposed"))
	f.link(t, both, "segment", f.keep("segments", "Rue Un", "removed"))
	f.link(t, both, "segment", f.keep("segments", "Rue Deux", "in_service"))
	f.link(t, both, "system", f.keep("systems", "Chauffage", "decommissioned"))
	f.link(t, inService("B-3"), "site", f.keep("sites", "Terrain vendu", "disposed"))
	f.link(t, inService("B-4"), "building", f.keep("buildings", "Caserne", "demolished"))
	f.link(t, inProgress("B-5"), "building", f.keep("buildings", "Piscine", "active"))
	f.link(t, inProgress("B-6"), "segment", f.keep("segments", "Rue Trois", "abandoned"))
	inService("B-7")
	unnumbered := inService("B-9")
	f.Must(t, http.StatusOK, "PATCH", pathOf("capital_assets")+"/"+unnumbered, fields{"number": nil, "name": "Sans numéro"})
	if refused := f.Must(t, http.StatusConflict, "PATCH", pathOf("capital_assets")+"/"+unnumbered,
		fields{"useful_life_years": 3}); !bytes.Contains(refused.Body, []byte("Sans numéro has transactions")) {
		t.Errorf("%s", refused.Body)
	}
	gone := inService("B-8")
	missing := uuid.Must(uuid.NewV7()).String()
	f.keepAsset(missing)
	f.link(t, gone, "asset", missing)
	f.peers.Forget("assets", missing)

	found, counts := f.findings(t)
	if counts != "record_missing 1 record_out_of_use 6 record_in_service 1 not_linked 2" {
		t.Errorf("%s", counts)
	}
	for key, words := range map[string]string{
		"record_out_of_use B-1 Pompe vendue":  "The asset Pompe vendue is disposed, and B-1 is still in service in the ledger",
		"record_out_of_use B-2 Rue Un":        "The segment Rue Un is removed",
		"record_out_of_use B-2 Chauffage":     "The system Chauffage is decommissioned",
		"record_out_of_use B-3 Terrain vendu": "The site Terrain vendu is disposed",
		"record_out_of_use B-4 Caserne":       "The building Caserne is demolished",
		"record_out_of_use B-6 Rue Trois":     "B-6 still has work in progress",
		"record_in_service B-5 Piscine":       "The building Piscine is active, and B-5 has work in progress only",
		"not_linked B-7 <nil>":                "B-7 is in service and stands for no record",
		"not_linked <nil> <nil>":              "Sans numéro is in service and stands for no record",
		"record_missing B-8 <nil>":            "There is no asset " + missing,
	} {
		finding := found[key]
		if finding == nil || !strings.Contains(finding["message"].(string), words) {
			t.Errorf("%s: want %q, got %v", key, words, finding)
		}
	}
	says(t, found["record_out_of_use B-1 Pompe vendue"], fields{"capital_asset_id": pump, "capital_asset_name": "Immobilisation",
		"capital_asset_state": "in_service", "target_type": "asset", "target_status": "disposed"})
	says(t, found["record_missing B-8 <nil>"], fields{"target_id": missing, "target_status": nil})

	answer := f.Must(t, http.StatusOK, "GET", reconciliationPath, nil, "Accept", "text/csv")
	table, err := csv.NewReader(bytes.NewReader(answer.Body)).ReadAll()
	if err != nil || len(table) != 1+len(found) || table[0][0] != "code" || !strings.Contains(answer.Header.Get("Content-Disposition"),
		"reconciliation-") {
		t.Errorf("%v %v %v", err, table, answer.Header)
	}
	if lines := bytes.Count(f.Must(t, http.StatusOK, "GET", reconciliationPath, nil, "Accept", "application/x-ndjson").Body,
		[]byte("\n")); lines != len(found) {
		t.Errorf("%d lines of NDJSON", lines)
	}
	other := *f
	other.Client = f.Other()
	if found, _ := other.findings(t); len(found) != 0 {
		t.Errorf("another organization is shown %v", found)
	}
	if table := other.Must(t, http.StatusOK, "GET", reconciliationPath, nil, "Accept",
		"text/csv").Body; !bytes.HasPrefix(table, []byte("code,capital_asset_id,")) || bytes.Count(table, []byte("\n")) != 1 {
		t.Errorf("a table without rows: %s", table)
	}
}

// Of records that a key may not read the report has the ids, and neither names nor statuses.
func TestReconciliationHidesRecordsThatTheKeyMayNotRead(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.open(t, 2025)
	class := f.class(t, "half_year", 20, nil)
	asset, building := f.asset(t, class, fields{"number": "B-1"}), f.asset(t, class, fields{"number": "B-2"})
	f.post(t, asset, "acquisition", "2025-02-01", fields{"amount": 1000})
	f.post(t, building, "construction", "2025-02-01", fields{"amount": 1000})
	pump := f.keep("assets", "Pompe vendue", "disposed")
	pool := f.keep("buildings", "Piscine", "active")
	f.link(t, asset, "asset", pump)
	f.link(t, asset, "site", f.keep("sites", "Terrain vendu", "disposed"))
	f.link(t, building, "building", pool)
	f.Principal.Scopes = []string{"accounting:read", "sites:read"}
	found, _ := f.findings(t)
	says(t, found["record_out_of_use B-1 Terrain vendu"], fields{"target_status": "disposed"})
	says(t, found["record_out_of_use B-1 <nil>"], fields{"target_id": pump, "target_status": nil,
		"message": "The asset " + pump + " is out of use, and B-1 is still in service in the ledger: post its disposal, " +
			"or that of a part and remove the link."})
	says(t, found["record_in_service B-2 <nil>"], fields{"target_status": nil,
		"message": "The building " + pool + " is in service, and B-2 has work in progress only: post in_service once it is of use."})
	for _, accept := range []string{"application/json", "text/csv"} {
		if body := f.Must(t, http.StatusOK, "GET", reconciliationPath, nil, "Accept", accept).Body; bytes.Contains(body, []byte("Pompe")) ||
			bytes.Contains(body, []byte("Piscine")) {
			t.Errorf("%s", body)
		}
	}
}

// Owners are asked for a thousand records at once, and a group shows its first hundred. An owner that is away is a
// 503, whatever is asked for.
func TestReconciliationAsksOwnersSeldom(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.open(t, 2025)
	asset := f.asset(t, f.class(t, "half_year", 20, nil), nil)
	f.post(t, asset, "acquisition", "2025-02-01", fields{"amount": 1000})
	const links = 2500
	rows := []any{}
	for i := range links {
		rows = append(rows, fields{"target_type": "asset", "target_id": f.keep("assets", fmt.Sprint("Pompe ", i), "disposed")})
		if len(rows) == 1000 || i == links-1 {
			f.Must(t, http.StatusOK, "POST", pathOf("capital_assets")+"/"+asset+"/links/bulk", fields{"data": rows})
			rows = nil
		}
	}
	f.link(t, asset, "segment", f.keep("segments", "Rue", "in_service"))
	before := f.peers.Requests("/internal/references/assets")
	report := f.Must(t, http.StatusOK, "GET", reconciliationPath, nil).JSON
	if asked := f.peers.Requests("/internal/references/assets") - before; asked != 3 || report["total"] != float64(links) {
		t.Errorf("the owner is asked %d times for %v findings", asked, report["total"])
	}
	if group := report["data"].([]any)[1].(fields); group["count"] != float64(links) || len(group["findings"].([]any)) != 100 {
		t.Errorf("%v with %d findings", group["count"], len(group["findings"].([]any)))
	}
	if lines := bytes.Count(f.Must(t, http.StatusOK, "GET", reconciliationPath, nil, "Accept", "text/csv").Body,
		[]byte("\n")); lines != 1+links {
		t.Errorf("%d lines", lines)
	}
	f.peers.Refuse("/internal/references/segments")
	for _, accept := range []string{"application/json", "text/csv", "application/x-ndjson"} {
		f.Must(t, http.StatusServiceUnavailable, "GET", reconciliationPath, nil, "Accept", accept)
	}
	f.Principal.Scopes = []string{"accounting:write"}
	f.Must(t, http.StatusForbidden, "GET", reconciliationPath, nil)
}
