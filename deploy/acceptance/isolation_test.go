package acceptance

import (
	"slices"
	"strings"
	"testing"
)

// estate is one record of every collection of an organization.
type estate map[string]string // parameter or reference name → id

func build(t *testing.T, c caller, name string) estate {
	t.Helper()
	e := estate{}
	e["user_id"] = c.create(t, "/v1/users", map[string]any{"name": name, "email": strings.ToLower(name) + "@example.ca"})
	e["site_id"] = c.create(t, "/v1/sites", map[string]any{"name": name + " site", "manager_user_id": e["user_id"]})
	e["building_id"] = c.create(t, "/v1/buildings", map[string]any{"name": name + " building", "site_id": e["site_id"]})
	e["system_id"] = c.create(t, "/v1/systems", map[string]any{"name": name + " system", "building_id": e["building_id"]})
	e["asset_id"] = c.create(t, "/v1/assets", map[string]any{"name": name + " asset", "system_id": e["system_id"], "responsible_user_id": e["user_id"]})
	e["assessment_id"] = c.create(t, "/v1/assets/"+e["asset_id"]+"/condition-assessments", map[string]any{"assessed_on": "2024-05-01", "condition_rating": 3})
	return e
}

// owner gives the id that stands for {id} in a path.
func (e estate) owner(path string) string {
	switch parts := strings.Split(path, "/"); {
	case strings.Contains(path, "/condition-assessments"):
		return e["assessment_id"]
	default:
		return e[strings.TrimSuffix(parts[2], "s")+"_id"]
	}
}

type operation struct {
	method, path, scope string
	query               []string
}

// operations lists every operation of the OpenAPI document.
func operations(t *testing.T) []operation {
	t.Helper()
	document := as(t, city, "full").do(t, "GET", "/openapi.json", nil)
	var all []operation
	for path, item := range document.object["paths"].(map[string]any) {
		for method, described := range item.(map[string]any) {
			o := operation{method: strings.ToUpper(method), path: path}
			o.scope, _ = described.(map[string]any)["x-scope"].(string)
			list, _ := described.(map[string]any)["parameters"].([]any)
			for _, p := range list {
				if parameter := p.(map[string]any); parameter["in"] == "query" {
					o.query = append(o.query, parameter["name"].(string))
				}
			}
			all = append(all, o)
		}
	}
	if len(all) < 50 {
		t.Fatalf("the OpenAPI document has %d operations only", len(all))
	}
	return all
}

func TestNoRouteReachesAnotherOrganizationsRecords(t *testing.T) {
	theirs := build(t, as(t, board, "full"), "Isolation")
	us := as(t, city, "full")
	body := map[string]any{"name": "Stolen", "external_id": "stolen", "email": "stolen@example.ca", "site_id": theirs["site_id"], "assessed_on": "2024-05-01", "condition_rating": 3}
	for _, o := range operations(t) {
		if !strings.HasPrefix(o.path, "/v1/") || o.path == "/v1/me" {
			continue
		}
		path := strings.NewReplacer("{id}", theirs.owner(o.path), "{asset_id}", theirs["asset_id"]).Replace(o.path)
		switch {
		case path != o.path && o.method == "GET":
			us.must(t, 404, "GET", path, nil)
		case path != o.path && strings.HasSuffix(path, "/bulk"):
			us.must(t, 404, o.method, path, map[string]any{"data": []any{map[string]any{"id": theirs["assessment_id"]}}})
		case path != o.path && o.method == "PATCH":
			us.must(t, 404, "PATCH", path, map[string]any{"external_id": "stolen"})
		case path != o.path && o.method == "DELETE":
			us.must(t, 404, "DELETE", path, nil)
		case path != o.path:
			us.must(t, 404, o.method, path, body)
		case strings.HasSuffix(path, "/bulk") && o.method != "POST":
			refused := us.must(t, 400, o.method, path, map[string]any{"data": []any{map[string]any{"id": theirs.owner(path), "external_id": "stolen"}}})
			if failed := refused.object["summary"].(map[string]any)["failed"]; failed != 1.0 {
				t.Errorf("%s %s: %s", o.method, path, refused.body)
			}
		case o.method == "GET" && slices.Contains(o.query, "ids"):
			filters := []string{"ids=" + theirs.owner(path)}
			for _, name := range o.query {
				if id := theirs[strings.NewReplacer("parent_", "", "manager_", "", "responsible_", "").Replace(name)]; id != "" {
					filters = append(filters, name+"="+id)
				}
			}
			for _, filter := range filters {
				if list := us.must(t, 200, "GET", path+"?"+filter, nil); len(list.object["data"].([]any)) != 0 {
					t.Errorf("GET %s?%s: %s", path, filter, list.body)
				}
			}
		}
	}
	// References: every field that may hold an id, single and in bulk.
	for path, fields := range map[string][]string{
		"/v1/sites": {"manager_user_id"}, "/v1/buildings": {"site_id"}, "/v1/systems": {"site_id", "building_id"},
		"/v1/assets": {"site_id", "building_id", "system_id", "parent_asset_id", "responsible_user_id"},
	} {
		for _, field := range fields {
			id := theirs[strings.NewReplacer("parent_", "", "manager_", "", "responsible_", "").Replace(field)]
			record := map[string]any{"name": "Borrowed", field: id}
			for _, refused := range []answer{
				us.must(t, 400, "POST", path, record),
				us.must(t, 400, "POST", path+"/bulk", map[string]any{"data": []any{record}}),
			} {
				if !strings.Contains(string(refused.body), field) || !strings.Contains(string(refused.body), id) {
					t.Errorf("POST %s with another organization's %s: %s", path, field, refused.body)
				}
			}
		}
	}
	after := as(t, board, "full").must(t, 200, "GET", "/v1/assets/"+theirs["asset_id"], nil)
	if after.object["name"] != "Isolation asset" || after.object["external_id"] != nil {
		t.Errorf("the record was changed: %s", after.body)
	}
}

func TestEveryRouteAsksForItsScope(t *testing.T) {
	reader, assetsOnly := as(t, city, "read_only"), as(t, city, "assets_only")
	none := "019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"
	for _, o := range operations(t) {
		if o.scope == "" || o.path == "/v1/me" {
			if strings.HasPrefix(o.path, "/v1/") && o.path != "/v1/me" {
				t.Errorf("%s %s names no scope", o.method, o.path)
			}
			continue
		}
		path := strings.NewReplacer("{id}", none, "{asset_id}", none).Replace(o.path)
		var body any
		if o.method == "POST" || o.method == "PATCH" {
			body = map[string]any{}
		}
		if strings.HasSuffix(o.scope, ":write") {
			refused := reader.must(t, 403, o.method, path, body)
			if refused.object["required_scope"] != o.scope {
				t.Errorf("%s %s: %s", o.method, path, refused.body)
			}
		}
		if !strings.HasPrefix(o.scope, "assets:") {
			refused := assetsOnly.must(t, 403, o.method, path, body)
			if refused.object["required_scope"] != o.scope || !strings.Contains(refused.object["error"].(string), o.scope) {
				t.Errorf("%s %s: %s", o.method, path, refused.body)
			}
		} else if got := assetsOnly.do(t, o.method, path, body); got.status == 401 || got.status == 403 {
			t.Errorf("%s %s with the scope: %d %s", o.method, path, got.status, got.body)
		}
	}
}
