package console

import (
	"net/http"
	"strings"

	"github.com/google/uuid"

	"ams.internal/libs/domain/contracts/mcp"
	"ams.internal/libs/principal"
)

// assistant is an AI assistant that was connected with a key, as the MCP service returns it.
type assistant struct {
	ID         string
	Name       string
	Host       string
	KeyID      string
	KeyName    string
	ReadOnly   bool
	Since      string
	LastUsedAt *string
	State      string // of its key
}

// Local reports whether the access went to a program on a person's own computer.
func (a assistant) Local() bool {
	return a.Host == "Cursor" || a.Host == "localhost" || a.Host == "::1" || strings.HasPrefix(a.Host, "127.")
}

// Stopped reports whether the state of its key stops the assistant.
func (a assistant) Stopped() bool { return a.State != "active" }

type assistantsPage struct {
	Assistants []assistant
	Addresses  addresses
}

func listAssistants(req *pageRequest) error {
	all, err := req.assistants()
	if err != nil {
		return err
	}
	keys, err := req.allKeys()
	if err != nil {
		return err
	}
	plan, err := req.plan()
	if err != nil {
		return err
	}
	states := map[string]string{}
	for _, k := range keys {
		states[k.ID] = k.State
	}
	for i := range all {
		all[i].State = states[all[i].KeyID]
	}
	return req.show(http.StatusOK, "assistants", req.language.translate("assistants.heading"), assistantsPage{all, plan.addresses()})
}

// assistants returns the connected assistants, the newest first.
func (req *pageRequest) assistants() ([]assistant, error) {
	list, err := call(req, req.grantsPrincipal(), mcp.Connections, struct{}{})
	var all []assistant
	for _, c := range list.Data {
		all = append(all, assistant{ID: c.ID, Name: c.Client, Host: c.Host, KeyID: c.KeyID, KeyName: c.KeyName, ReadOnly: c.ReadOnly,
			Since: c.ConnectedAt, LastUsedAt: c.LastUsedAt})
	}
	return all, err
}

// grantsPrincipal is the signed-in person in the organization that the page is about.
func (req *pageRequest) grantsPrincipal() principal.Principal {
	p := req.principal()
	p.OrganizationID = req.organization()
	return p
}

// assistant returns the assistant that the path names. One of another organization gets the same page as one that does
// not exist.
func (req *pageRequest) assistant() (assistant, error) {
	id := req.r.PathValue("assistant")
	if uuid.Validate(id) != nil {
		return assistant{}, req.refuseUnknown("assistant", id, notFound)
	}
	all, err := req.assistants()
	if err != nil {
		return assistant{}, err
	}
	for _, each := range all {
		if each.ID == id {
			return each, nil
		}
	}
	return assistant{}, req.refuseUnknown("assistant", id, notFound)
}

func confirmDisconnect(req *pageRequest) error {
	found, err := req.assistant()
	if err != nil {
		return err
	}
	return req.show(http.StatusOK, "assistant_disconnect", req.language.translate("assistant_disconnect.title", found.Name), found)
}

// disconnect ends the connection. The MCP service writes the audit entry in the same transaction.
func disconnect(req *pageRequest) error {
	found, err := req.assistant()
	if err != nil {
		return err
	}
	if _, err := call(req, req.grantsPrincipal(), mcp.EndConnection, mcp.ConnectionID{ID: found.ID}); err != nil {
		return err
	}
	return req.redirectWithNotice(req.base()+"/assistants", "assistant_disconnected")
}
