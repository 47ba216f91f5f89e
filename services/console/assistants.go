package console

import (
	"net/http"
	"strings"

	"github.com/google/uuid"

	"ams.internal/libs/principal"
)

// assistant is an AI assistant that was connected with a key, as the MCP service returns it.
type assistant struct {
	ID         string  `json:"id"`
	Name       string  `json:"client"`
	Host       string  `json:"host"`
	KeyID      string  `json:"key_id"`
	KeyName    string  `json:"key_name"`
	ReadOnly   bool    `json:"read_only"`
	Since      string  `json:"connected_at"`
	LastUsedAt *string `json:"last_used_at"`

	State string `json:"-"` // of its key
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
	var list struct {
		Data []assistant `json:"data"`
	}
	err := req.services.call(req.ctx(), req.grantsPrincipal(), "mcp", http.MethodPost, "/internal/grants/list", struct{}{}, &list)
	return list.Data, err
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
	if err := req.services.call(req.ctx(), req.grantsPrincipal(), "mcp", http.MethodPost, "/internal/grants/end",
		map[string]any{"id": found.ID}, nil); err != nil {
		return err
	}
	return req.redirectWithNotice(req.base()+"/assistants", "assistant_disconnected")
}
