package browser

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

const newPassword = "quatre bateaux au quai"

// invite makes a member and gives the link for the first password.
func (b *tab) invite(name, email, role, locale string) string {
	b.t.Helper()
	b.visit("/settings/members/invite")
	b.fill("#name", name)
	b.fill("#email", email)
	b.fill("#role", role)
	b.fill("#locale", locale)
	b.press("main form button[type=submit]")
	return b.text("#link")
}

// accept opens the link in a browser of the invited person and sets the password.
func accept(t *testing.T, link string, as look) *tab {
	t.Helper()
	b := open(t, as)
	b.run(chromedp.Navigate(link))
	if strings.Contains(b.address(), "#") {
		t.Errorf("the token stays in the address: %s", b.address())
	}
	b.fill("#new_password", newPassword)
	b.fill("#repeated_password", newPassword)
	b.picture("welcome")
	b.press("main form button[type=submit]")
	return b
}

func TestAManagerSeesThatOnlyAdministratorsManageKeys(t *testing.T) {
	admin := administrator(t, board, "en", desk)
	link := admin.invite("Marc Roy", "marc.roy@example.ca", "manager", "fr-CA")
	admin.picture("link")
	manager := accept(t, link, phone)
	manager.sees("Seul le rôle Administration gère les clés", "Marc Roy")
	manager.picture("administrators-only")
	manager.accessible()
	for _, path := range []string{"/settings/keys", "/settings/keys/new", "/settings/audit", "/settings/assistants", "/settings/usage",
		"/settings/storage", "/settings/plan", "/settings/members", "/settings/organization"} {
		manager.visit(path)
		manager.sees("Seul le rôle Administration gère les clés")
	}
	manager.visit("/settings/account") // what is everybody's
	manager.sees("Changer le mot de passe")
	if !signedIn(t, board).trailHolds("page.refused", "Marc Roy") {
		t.Error("the audit trail does not say so")
	}

	_, token, _ := strings.Cut(link, "#")
	unwritten(t, "the token of the link", token, "marc.roy@example.ca")
	unwritten(t, "the password", newPassword, "marc.roy@example.ca")

	again := open(t, desk)
	again.run(chromedp.Navigate(link))
	again.fill("#new_password", newPassword)
	again.fill("#repeated_password", newPassword)
	again.press("main form button[type=submit]")
	again.sees("This link was used already or is too old.")
}

func TestSuspendingAMemberSaysWhichKeysTurnInactive(t *testing.T) {
	admin := administrator(t, city, "fr", desk)
	link := admin.invite("Luc Bélanger", "luc.belanger@example.ca", "administrator", "fr-CA")
	other := accept(t, link, desk)
	value := other.makeKey("SIG de Luc", "sites:read")
	if status, _ := call(t, "GET", "/v1/sites", value, nil); status != 200 {
		t.Fatalf("the key does not work: %d", status)
	}
	admin.visit("/settings/members")
	admin.sees("Luc Bélanger", "Actif")
	admin.picture("members")
	admin.visit(hrefOf(admin, "Luc Bélanger", "/suspend"))
	admin.sees("Suspendre Luc Bélanger", "SIG de Luc", "Ces clés deviennent aussitôt inactives")
	admin.picture("suspend")
	admin.press(`main form button.danger`)
	admin.sees("Suspendu")
	if status, code := call(t, "GET", "/v1/sites", value, nil); status != 403 {
		t.Errorf("the key of a suspended member: %d %s", status, code)
	}
	other.visit("/settings/keys")
	other.sees("Votre session a pris fin")
}

// hrefOf is where a link in a member's row leads that ends with suffix.
func hrefOf(b *tab, name, suffix string) string {
	b.t.Helper()
	return evaluate(b, chromedp.Evaluate[string](`[...document.querySelectorAll("li.row")].find(r => r.querySelector("h2").textContent === "`+
		name+`").querySelector('a[href$="`+suffix+`"]').getAttribute("href")`))
}

func TestThePasswordIsChangedAndOtherSessionsEnd(t *testing.T) {
	admin := administrator(t, board, "en", desk)
	here := accept(t, admin.invite("Ana Costa", "ana.costa@example.ca", "administrator", "en-CA"), desk)
	there := open(t, phone)
	there.signIn("ana.costa@example.ca", newPassword)
	there.sees("API keys")

	here.visit("/settings/account")
	here.sees("You are signed in in 2 browsers.")
	change := func(current, next, again string) {
		here.visit("/settings/account")
		here.fill("#current_password", current)
		here.fill("#new_password", next)
		here.fill("#repeated_password", again)
		here.press(`form[action$="/password"] button`)
	}
	change("", "short", "short")
	here.sees("There are 2 problems", "Enter your current password.", "Choose a password of at least 12 characters.")
	change(newPassword, "another long one", "another long two")
	here.sees("The two passwords differ.")
	change("not the password", "another long one", "another long one")
	here.sees("This is not your current password.")
	change(newPassword, newPassword, newPassword)
	here.sees("Choose a password other than the current one.")
	change(newPassword, "ana.costa@example.ca", "ana.costa@example.ca")
	here.sees("Choose a password that is not the e-mail address.")
	here.picture("problems")
	change(newPassword, "another long one", "another long one")
	here.sees("Your password is changed")

	there.visit("/settings/keys")
	there.sees("Your session has ended")
	there.signIn("ana.costa@example.ca", newPassword)
	there.sees("The e-mail address or the password is wrong.")
	there.signIn("ana.costa@example.ca", "another long one")
	there.visit("/settings/account")
	there.press(`form[action$="/sign-out-everywhere"] button`)
	there.sees("All your sessions have ended.")
	here.visit("/settings/keys")
	here.sees("Your session has ended")
}
