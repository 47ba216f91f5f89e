package browser

import (
	"bytes"
	"encoding/json"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"ams.internal/deploy/devstack"
)

const (
	harbourMail     = "helene.cote@port-clair.example"
	harbourPassword = "quatre bateaux au quai"
)

// newTown makes an organization of its own, with an Administrator.
func newTown(t *testing.T) {
	t.Helper()
	d := devstack.ForTest(t).Description()
	body, err := json.Marshal(map[string]any{"name": "Ville de Port-Clair", "plan": "professional",
		"add_ons":       []string{"api_keys", "infrastructure"},
		"administrator": map[string]any{"email": harbourMail, "name": "Hélène Côté", "password": harbourPassword}})
	if err != nil {
		t.Fatal(err)
	}
	request, err := http.NewRequest(http.MethodPost, d.AdminURL+"/internal/organizations", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Authorization", "Bearer "+d.AdminToken)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusCreated {
		t.Fatalf("making an organization: %s", response.Status)
	}
}

// TestPicturesForTheREADME shows a town with keys in use for a month, and takes the two pictures that docs/ has: copy
// settings-keys.png and settings-usage.png from the folder of pictures when the screens have changed.
func TestPicturesForTheREADME(t *testing.T) {
	newTown(t)
	b := open(t, desk)
	b.signIn(harbourMail, harbourPassword)
	b.speak("en")
	b.makeKey("SIG municipal", "sites:read", "infrastructure:read", "infrastructure:write")
	b.makeKey("Maintenance app", "assets:read", "work_orders:read", "work_orders:write")
	b.makeKey("Power BI, Finance", "assets:read", "buildings:read", "sites:read")
	database(t, `UPDATE gateway.api_key SET expires_at = now() + interval '9 days 2 hours' WHERE name = 'Maintenance app'`)
	for day := range 30 {
		week := (time.Now().AddDate(0, 0, -day).Weekday() + 6) % 7 // Monday is 0
		busy := 1 - 0.7*math.Floor(float64(week)/5)
		for name, maximum := range map[string]float64{"Power BI, Finance": 900, "SIG municipal": 2400, "Maintenance app": 3100} {
			requests := int(maximum * busy * (0.8 + 0.2*math.Sin(float64(day)*1.7+maximum)))
			limited := 0
			if name == "SIG municipal" && day%11 == 4 {
				limited = 400
			}
			database(t, `INSERT INTO gateway.key_day (organization_id, key_id, day, requests, errors, limited)
				SELECT organization_id, id, (now() AT TIME ZONE 'UTC')::date - $2::integer, $3, $4, $5 FROM gateway.api_key
					WHERE name = $1 AND created_at > now() - interval '1 hour'`, name, day, requests, requests/40, limited)
		}
	}
	database(t, `INSERT INTO gateway.key_use (organization_id, key_id, last_used_at, last_address)
		SELECT organization_id, id, now() - interval '7 minutes', '203.0.113.24' FROM gateway.api_key
			WHERE name IN ('Power BI, Finance', 'SIG municipal', 'Maintenance app')`)

	b.visit("/settings/keys")
	b.sees("Expires in 9 days.", "Power BI, Finance")
	b.framed("settings-keys")
	b.visit("/settings/plan")
	b.sees("Level of Service", "Not included", "Added by the plan Enterprise or the add-on Level of Service")
	b.accessible()

	evening := open(t, look{width: 1280, height: 980, dark: true})
	evening.signIn(harbourMail, harbourPassword)
	evening.speak("fr")
	evening.visit("/settings/usage")
	evening.sees("Requêtes par jour", "SIG municipal")
	evening.accessible()
	evening.framed("settings-usage")
}

// framed keeps what the window shows, under a name of its own.
func (b *tab) framed(name string) {
	b.t.Helper()
	b.picture("whole")
	content := evaluate(b, chromedp.CaptureScreenshot())
	if len(content) > 200_000 {
		b.t.Errorf("the picture %s has %d bytes", name, len(content))
	}
	if err := os.WriteFile(filepath.Join(pictures.folder, name+".png"), content, 0o644); err != nil {
		b.t.Fatal(err)
	}
}
