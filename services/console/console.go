package console

import (
	"log/slog"
	"net/http"

	"ams.internal/libs/postgres"
	"ams.internal/libs/webassets"
)

// assets are the style sheet, the script and the typeface.
var assets = webassets.Under("/settings/assets")

// console has the dependencies of all pages.
type console struct {
	db        *postgres.DB
	log       *slog.Logger
	languages languages
	services  *services
	browsers  browserSigner
}

// access is who may open a page.
type access int

const (
	anyone         access = iota // signed in or not
	signedIn                     // any user
	administrators               // users with the role administrator
)

// action handles one request: it shows a page or redirects to another one. An error becomes an error page.
type action func(req *pageRequest) error

// handler has one line for each page and each form.
func (c *console) handler() http.Handler {
	mux := http.NewServeMux()
	serve := func(pattern string, who access, do action) { mux.Handle(pattern, c.serve(who, do)) }

	serve("GET /settings/{$}", signedIn, home)
	serve("GET /settings", signedIn, home)
	serve("GET /settings/sign-in", anyone, showSignIn)
	serve("POST /settings/sign-in", anyone, signIn)
	serve("POST /settings/sign-out", signedIn, signOut)
	serve("POST /settings/sign-out-everywhere", signedIn, signOutEverywhere)
	serve("GET /settings/welcome", anyone, showWelcome)
	serve("POST /settings/welcome", anyone, welcome)
	serve("POST /settings/language", anyone, chooseLanguage)
	serve("POST /settings/appearance", anyone, chooseAppearance)
	serve("GET /settings/account", signedIn, showAccount)
	serve("POST /settings/account/password", signedIn, changePassword)

	serve("GET /settings/keys", administrators, listKeys)
	serve("POST /settings/keys", administrators, createKey)
	serve("GET /settings/keys/new", administrators, newKey)
	serve("GET /settings/keys/{key}", administrators, showKey)
	serve("POST /settings/keys/{key}/suspend", administrators, suspendKey)
	serve("POST /settings/keys/{key}/resume", administrators, resumeKey)
	serve("GET /settings/keys/{key}/replace", administrators, confirmReplaceKey)
	serve("POST /settings/keys/{key}/replace", administrators, replaceKey)
	serve("GET /settings/keys/{key}/revoke", administrators, confirmRevokeKey)
	serve("POST /settings/keys/{key}/revoke", administrators, revokeKey)

	serve("GET /settings/sandbox", administrators, showSandbox)
	serve("POST /settings/sandbox", administrators, createSandbox)
	serve("GET /settings/sandbox/empty", administrators, confirmEmptySandbox)
	serve("POST /settings/sandbox/empty", administrators, emptySandbox)
	serve("GET /settings/sandbox/keys", administrators, inSandbox(listKeys))
	serve("POST /settings/sandbox/keys", administrators, inSandbox(createKey))
	serve("GET /settings/sandbox/keys/new", administrators, inSandbox(newKey))
	serve("GET /settings/sandbox/keys/{key}", administrators, inSandbox(showKey))
	serve("POST /settings/sandbox/keys/{key}/suspend", administrators, inSandbox(suspendKey))
	serve("POST /settings/sandbox/keys/{key}/resume", administrators, inSandbox(resumeKey))
	serve("GET /settings/sandbox/keys/{key}/replace", administrators, inSandbox(confirmReplaceKey))
	serve("POST /settings/sandbox/keys/{key}/replace", administrators, inSandbox(replaceKey))
	serve("GET /settings/sandbox/keys/{key}/revoke", administrators, inSandbox(confirmRevokeKey))
	serve("POST /settings/sandbox/keys/{key}/revoke", administrators, inSandbox(revokeKey))
	serve("GET /settings/sandbox/assistants", administrators, inSandbox(listAssistants))
	serve("GET /settings/sandbox/assistants/{assistant}/disconnect", administrators, inSandbox(confirmDisconnect))
	serve("POST /settings/sandbox/assistants/{assistant}/disconnect", administrators, inSandbox(disconnect))
	serve("GET /settings/sandbox/audit", administrators, inSandbox(showAudit))
	serve("GET /settings/sandbox/audit.csv", administrators, inSandbox(exportAudit))
	serve("GET /settings/sandbox/usage", administrators, inSandbox(showUsage))

	serve("GET /settings/webhooks", administrators, listWebhooks)
	serve("POST /settings/webhooks", administrators, createWebhook)
	serve("GET /settings/webhooks/new", administrators, newWebhook)
	serve("GET /settings/webhooks/{endpoint}", administrators, showWebhook)
	serve("GET /settings/webhooks/{endpoint}/edit", administrators, editWebhook)
	serve("POST /settings/webhooks/{endpoint}/edit", administrators, saveWebhook)
	serve("POST /settings/webhooks/{endpoint}/pause", administrators, pauseWebhook)
	serve("POST /settings/webhooks/{endpoint}/resume", administrators, resumeWebhook)
	serve("POST /settings/webhooks/{endpoint}/test", administrators, testWebhook)
	serve("GET /settings/webhooks/{endpoint}/rotate", administrators, confirmRotateSecret)
	serve("POST /settings/webhooks/{endpoint}/rotate", administrators, rotateSecret)
	serve("GET /settings/webhooks/{endpoint}/delete", administrators, confirmDeleteWebhook)
	serve("POST /settings/webhooks/{endpoint}/delete", administrators, deleteWebhook)
	serve("GET /settings/webhooks/{endpoint}/deliveries", administrators, listDeliveries)
	serve("GET /settings/webhooks/{endpoint}/deliveries/{delivery}", administrators, showDelivery)
	serve("POST /settings/webhooks/{endpoint}/deliveries/{delivery}/redeliver", administrators, redeliver)
	serve("GET /settings/webhooks/{endpoint}/replay", administrators, newReplay)
	serve("POST /settings/webhooks/{endpoint}/replay", administrators, startReplay)
	serve("GET /settings/webhooks/{endpoint}/replays/{replay}", administrators, showReplay)
	serve("GET /settings/assistants", administrators, listAssistants)
	serve("GET /settings/assistants/{assistant}/disconnect", administrators, confirmDisconnect)
	serve("POST /settings/assistants/{assistant}/disconnect", administrators, disconnect)

	serve("GET /settings/audit", administrators, showAudit)
	serve("GET /settings/audit.csv", administrators, exportAudit)
	serve("GET /settings/usage", administrators, showUsage)
	serve("GET /settings/storage", administrators, showStorage)
	serve("GET /settings/search", administrators, showSearch)
	serve("GET /settings/plan", administrators, showPlan)
	serve("GET /settings/organization", administrators, showOrganization)
	serve("POST /settings/organization", administrators, saveOrganization)

	serve("GET /settings/members", administrators, listMembers)
	serve("POST /settings/members", administrators, inviteMember)
	serve("GET /settings/members/invite", administrators, newMember)
	serve("POST /settings/members/{member}/link", administrators, renewLink)
	serve("GET /settings/members/{member}/suspend", administrators, confirmSuspendMember)
	serve("POST /settings/members/{member}/suspend", administrators, suspendMember)
	serve("POST /settings/members/{member}/resume", administrators, resumeMember)

	serve("/settings/", anyone, unknownPage)
	mux.Handle("GET "+assets.Prefix, assets)
	return secure(mux)
}

// home redirects to the first page.
func home(req *pageRequest) error { return req.redirect("/settings/keys") }

func unknownPage(req *pageRequest) error { return notFound }
