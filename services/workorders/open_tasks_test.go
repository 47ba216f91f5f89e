package workorders

import (
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"ams.internal/libs/resource/resourcetest"
)

func TestCompletingWithFailedTasksNeedsNotes(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	path, record := f.create(t, fields{})
	task := func(title string, result any) string {
		return fmt.Sprint(path, "/tasks/", f.Create(t, path+"/tasks", fields{"title": title, "result": result})["id"])
	}
	task("Nettoyer", "pass")
	pressure := task("Vérifier la pression", "fail")
	task("Vérifier la vanne", "fail")
	task("Peindre", nil)
	task("Vidanger", "na")
	refused := func(method, path string, body fields) string {
		t.Helper()
		response := f.Must(t, http.StatusConflict, method, path, body).JSON
		resourcetest.Expect(t, response, fields{"code": "tasks_failed", "field": "status", "value": "completed"})
		resourcetest.Expect(t, f.Must(t, http.StatusOK, "GET", "/v1/work-orders/"+record["id"].(string), nil).JSON,
			fields{"status": "open", "version": 1})
		return response["error"].(string)
	}
	for _, message := range []string{refused("PATCH", path, fields{"status": "completed"}),
		refused("POST", path+"/transition", fields{"to": "completed"}),
		refused("POST", path+"/transition", fields{"to": "completed", "completion_notes": nil}),
		refused("PATCH", path, fields{"status": "completed", "completion_notes": "  "})} {
		if !strings.Contains(message, `"Vérifier la pression", "Vérifier la vanne"`) || !strings.Contains(message, "completion_notes") ||
			strings.Contains(message, "Nettoyer") || strings.Contains(message, "Peindre") || strings.Contains(message, "Vidanger") {
			t.Errorf("refused with %q", message)
		}
	}
	row := f.Must(t, http.StatusConflict, "PATCH", "/v1/work-orders/bulk",
		fields{"data": []fields{{"id": record["id"], "status": "completed"}}}).JSON
	if !strings.Contains(fmt.Sprint(row), "tasks_failed") {
		t.Errorf("a bulk call is refused with %v", row)
	}
	// A move that is not allowed says so, and other moves do not ask.
	_, held := f.create(t, inState("on_hold"))
	heldPath := "/v1/work-orders/" + held["id"].(string)
	f.Create(t, heldPath+"/tasks", fields{"title": "Nettoyer", "result": "fail"})
	resourcetest.Expect(t, f.Must(t, http.StatusConflict, "PATCH", heldPath, fields{"status": "completed"}).JSON,
		fields{"code": "transition_not_allowed"})
	f.Must(t, http.StatusOK, "PATCH", heldPath, fields{"status": "in_progress"})

	// Notes of before do not say what becomes of a task that failed since.
	f.Must(t, http.StatusOK, "PATCH", heldPath, fields{"completion_notes": "À faire"})
	f.Must(t, http.StatusConflict, "PATCH", heldPath, fields{"status": "completed"})
	done := f.Must(t, http.StatusOK, "PATCH", heldPath, fields{"status": "completed", "completion_notes": "À faire"}).JSON
	resourcetest.Expect(t, done, fields{"status": "completed", "completion_notes": "À faire"})
	f.Must(t, http.StatusOK, "PATCH", heldPath, fields{"status": "closed"}) // closing does not ask again

	f.Must(t, http.StatusOK, "PATCH", pressure, fields{"result": "pass"})
	if message := refused("PATCH", path, fields{"status": "completed"}); strings.Contains(message, "pression") {
		t.Errorf("refused with %q", message)
	}
	resourcetest.Expect(t, f.Must(t, http.StatusOK, "POST", path+"/transition",
		fields{"to": "completed", "completion_notes": "Vanne commandée"}).JSON, fields{"status": "completed"})
}

func TestARefusalNamesTenFailedTasks(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	path, _ := f.create(t, fields{})
	var failed []fields
	for n := range maxNamedTasks + 2 {
		failed = append(failed, fields{"title": fmt.Sprintf("Étape %02d", n+1), "result": "fail"})
	}
	f.Must(t, http.StatusOK, "POST", path+"/tasks/bulk", fields{"data": failed})
	response := f.Must(t, http.StatusConflict, "PATCH", path, fields{"status": "completed"}).JSON
	if message := response["error"].(string); !strings.Contains(message, `"Étape 10" and 2 more`) {
		t.Errorf("refused with %q", message)
	}
	if !reflect.DeepEqual(response["dependents"], fields{"work_order_tasks": float64(maxNamedTasks + 2)}) {
		t.Errorf("counted %v", response["dependents"])
	}
}

func TestCompletingWithRequiredTasksOpenNeedsAReason(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	path, _ := f.create(t, fields{})
	task := func(body fields) string { return fmt.Sprint(path, "/tasks/", f.Create(t, path+"/tasks", body)["id"]) }
	brakes := task(fields{"title": "Essayer le frein", "required": true})
	task(fields{"title": "Lubrifier", "required": true, "result": "na"})
	task(fields{"title": "Peindre"}) // nobody must
	for _, body := range []fields{{"status": "completed"}, {"status": "completed", "completion_notes": "Fait"}} {
		response := f.Must(t, http.StatusConflict, "PATCH", path, body).JSON
		resourcetest.Expect(t, response, fields{"code": "tasks_open", "field": "status", "value": "completed"})
		if message := response["error"].(string); !strings.Contains(message, `"Essayer le frein"`) || strings.Contains(message, "Lubrifier") ||
			strings.Contains(message, "Peindre") || !strings.Contains(message, "override_reason") {
			t.Errorf("refused with %q", message)
		}
	}
	resourcetest.Expect(t, f.Must(t, http.StatusOK, "POST", path+"/transition",
		fields{"to": "completed", "override_reason": "Accès refusé"}).JSON, fields{"status": "completed", "override_reason": "Accès refusé"})
	resourcetest.Expect(t, f.Must(t, http.StatusOK, "PATCH", path, fields{"status": "in_progress"}).JSON, fields{"override_reason": nil})
	f.Must(t, http.StatusConflict, "PATCH", path, fields{"status": "completed"}) // the reason was for that time
	f.Must(t, http.StatusOK, "PATCH", brakes, fields{"result": "pass"})
	f.Must(t, http.StatusOK, "PATCH", path, fields{"status": "completed"})
	open, _ := f.create(t, fields{})
	if response := f.Must(t, http.StatusBadRequest, "PATCH", open,
		fields{"override_reason": "x"}); fmt.Sprint(response.Fields()) != "[override_reason]" {
		t.Errorf("refused %v", response.Fields())
	}
}

func TestAFailedTaskPassesWithItsFollowUpOrAReason(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for name, c := range map[string]struct {
		task, move fields
		status     int
	}{
		"nothing":                  {fields{}, fields{}, http.StatusConflict},
		"a note of the task alone": {fields{"note": "Fuit"}, fields{}, http.StatusConflict}, // says what was found, not what becomes of it
		"a follow-up":              {fields{"follow_up": "BT-000123"}, fields{}, http.StatusOK},
		"notes with the move":      {fields{}, fields{"completion_notes": "Commandé"}, http.StatusOK},
		"a reason":                 {fields{}, fields{"override_reason": "Urgence"}, http.StatusOK},
	} {
		path, _ := f.create(t, fields{})
		c.task["title"], c.task["result"], c.task["required"] = name, "fail", true
		f.Create(t, path+"/tasks", c.task)
		c.move["to"] = "completed"
		if response := f.Must(t, c.status, "POST", path+"/transition", c.move).JSON; c.status == http.StatusConflict &&
			response["code"] != "tasks_failed" {
			t.Errorf("%s: refused with %v", name, response)
		}
	}
}
