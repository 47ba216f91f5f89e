package browser

import (
	"testing"

	"github.com/chromedp/chromedp"
)

func TestAnAdministratorChangesTheOrganizationsSettings(t *testing.T) {
	b := administrator(t, city, "fr", phone)
	b.visit("/settings/organization")
	b.sees("Organisation", "Aujourd’hui", "Exercice financier", "CAD")
	b.fill("#land_area_km2", "71,3 km")
	b.press("main form button.primary")
	b.sees("Inscrivez des kilomètres carrés au-dessus de 0")
	b.accessible()
	b.picture("organization-wrong")
	b.fill("#land_area_km2", "")
	b.fill("#time_zone", "America/Nulle_part")
	b.press("main form button.primary")
	b.sees("Inscrivez le nom IANA d’un fuseau horaire")
	b.fill("#time_zone", "America/Moncton")
	b.fill("#land_area_km2", "84,25")
	b.press("main form button.primary")
	b.sees("Les paramètres sont enregistrés")
	b.accessible()
	if got := evaluate(b, chromedp.Evaluate[string](`land_area_km2.value + " " + time_zone.value`)); got != "84,25 America/Moncton" {
		t.Errorf("the form has %s", got)
	}
	b.visit("/settings/audit")
	b.sees("a modifié les paramètres de")
	b.visit("/settings/organization")
	b.fill("#time_zone", "America/Toronto")
	b.fill("#land_area_km2", "71,3")
	b.press("main form button.primary")
	b.sees("Les paramètres sont enregistrés")
}
