package main

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/google/uuid"

	"ams.internal/libs/fault"
)

// member is a user of the organization.
type member struct {
	ID       string `json:"id"`
	Email    string `json:"email"`
	Name     string `json:"name"`
	Role     string `json:"role"`
	Status   string `json:"status"`
	JobTitle string `json:"job_title"`
}

// roles are what a member may be.
var roles = []string{"administrator", "manager", "technician", "viewer", "requester"}

type membersPage struct{ Members []member }

func listMembers(v *visit) error {
	all, err := v.members()
	if err != nil {
		return err
	}
	return v.show(http.StatusOK, "members", v.language.say("members.title"), membersPage{all})
}

// members gives the organization's users, by name; those who were removed are left out.
func (v *visit) members() ([]member, error) {
	var all []member
	for page := 1; ; page++ {
		var list struct {
			Data       []member `json:"data"`
			Pagination struct {
				TotalPages int `json:"total_pages"`
			} `json:"pagination"`
		}
		path := fmt.Sprintf("/v1/users?sort=name&status=invited,active,suspended&per_page=1000&page=%d", page)
		if err := v.people(http.MethodGet, path, nil, &list); err != nil {
			return nil, err
		}
		all = append(all, list.Data...)
		if page >= list.Pagination.TotalPages {
			return all, nil
		}
	}
}

// member is the one that the path names.
func (v *visit) member() (member, error) {
	var found member
	id := v.r.PathValue("member")
	if uuid.Validate(id) != nil {
		return found, v.stranger("user", id, notFound)
	}
	if err := v.people(http.MethodGet, "/v1/users/"+id, nil, &found); err != nil {
		return found, v.stranger("user", id, err)
	}
	return found, nil
}

type invitePage struct {
	Form      *form
	Sent      string
	Roles     []string
	Languages languages
}

func newMember(v *visit) error {
	return v.askMember(http.StatusOK, &form{values: url.Values{"role": {"viewer"}, "locale": {v.language.Locale}}})
}

func (v *visit) askMember(status int, f *form) error {
	return v.show(status, "member_invite", v.language.say("member_invite.title"), invitePage{f, newFormID(), roles, v.languages})
}

// inviteMember makes the user and shows the link for the first password, this once.
func inviteMember(v *visit) error {
	f := v.typed()
	wanted := map[string]any{"email": strings.TrimSpace(f.Value("email")), "name": strings.TrimSpace(f.Value("name")), "role": f.Value("role"), "locale": f.Value("locale"), "status": "invited"}
	v.checkMember(f)
	if f.wrong() {
		return v.askMember(http.StatusBadRequest, f)
	}
	first, err := v.takeForm(v.ctx(), v.session, f.Value("sent"))
	if err != nil {
		return err
	}
	if !first {
		return v.leadWith("/settings/members", "already_sent")
	}
	var made member
	err = v.people(http.MethodPost, "/v1/users", wanted, &made)
	switch e := faultOf(err); {
	case err == nil:
		return v.showLink(made)
	case e != nil && e.Kind == fault.KindConflict:
		f.add("email", v.language.say("problem.member.email.taken"))
	case e != nil && e.Kind == fault.KindInvalid:
		v.explainMember(f, e)
	default:
		return err
	}
	return v.askMember(http.StatusBadRequest, f)
}

func (v *visit) checkMember(f *form) {
	say := v.language.say
	if strings.TrimSpace(f.Value("name")) == "" {
		f.add("name", say("problem.member.name"))
	}
	if strings.TrimSpace(f.Value("email")) == "" {
		f.add("email", say("problem.email.missing"))
	}
	if !slices.Contains(roles, f.Value("role")) {
		f.add("role", say("problem.member.role"))
	}
	if !slices.ContainsFunc(v.languages, func(l *language) bool { return l.Locale == f.Value("locale") }) {
		f.add("locale", say("problem.member.locale"))
	}
}

// explainMember words what the users service objects to.
func (v *visit) explainMember(f *form, e *fault.Error) {
	for _, each := range e.Fields {
		switch each.Field {
		case "email":
			f.add("email", v.language.say("problem.member.email"))
		default:
			f.add("name", v.language.say("problem.member.name"))
		}
	}
	if len(e.Fields) == 0 {
		f.add("name", v.language.say("problem.member.name"))
	}
}

type linkPage struct {
	Member    member
	Link      string
	ExpiresAt string
}

// showLink is the one page with a link for a first password. What comes after # is sent to nobody by a browser.
func (v *visit) showLink(of member) error {
	var made struct {
		Token     string `json:"token"`
		ExpiresAt string `json:"expires_at"`
	}
	err := v.people(http.MethodPost, "/internal/users/invitations", map[string]any{"user_id": of.ID}, &made)
	if refusedWith(err, "has_password") {
		return v.leadWith("/settings/members", "has_password")
	}
	if err != nil {
		return err
	}
	plan, err := v.plan()
	if err != nil {
		return err
	}
	v.note("user.link_made", subject{"user", of.ID, of.Name}, nil)
	return v.show(http.StatusOK, "member_link", v.language.say("member_link.title", of.Name),
		linkPage{of, plan.BaseURL + "/settings/welcome#" + made.Token, made.ExpiresAt})
}

// renewLink makes another link for somebody who has no password yet; the one before is worth nothing then.
func renewLink(v *visit) error {
	found, err := v.member()
	if err != nil {
		return err
	}
	return v.showLink(found)
}

type suspendPage struct {
	Member member
	Keys   []key // that turn inactive
	Self   bool
}

// askSuspendMember says which keys turn inactive.
func askSuspendMember(v *visit) error {
	found, err := v.member()
	if err != nil {
		return err
	}
	all, err := v.allKeys()
	if err != nil {
		return err
	}
	shown := suspendPage{Member: found, Self: found.ID == v.user.ID}
	for _, k := range all {
		if k.CreatedBy.ID == found.ID && k.State == "active" {
			shown.Keys = append(shown.Keys, k)
		}
	}
	return v.show(http.StatusOK, "member_suspend", v.language.say("member_suspend.title", found.Name), shown)
}

func suspendMember(v *visit) error { return v.changeMember("suspended", "member_suspended") }

func resumeMember(v *visit) error { return v.changeMember("active", "member_resumed") }

func (v *visit) changeMember(status, done string) error {
	found, err := v.member()
	if err != nil {
		return err
	}
	err = v.people(http.MethodPatch, "/v1/users/"+found.ID, map[string]any{"status": status}, nil)
	switch e := faultOf(err); {
	case err == nil:
		return v.leadWith("/settings/members", done)
	case refusedWith(err, "last_administrator"):
		return v.leadWith("/settings/members", "last_administrator")
	case e != nil && e.Kind == fault.KindConflict:
		return v.leadWith("/settings/members", "member_state_changed")
	}
	return err
}
