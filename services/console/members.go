package console

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/google/uuid"

	"ams.internal/libs/domain/contracts/users"
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

// roles are the roles of a member.
var roles = []string{"administrator", "manager", "technician", "viewer", "requester"}

type membersPage struct{ Members []member }

func listMembers(req *pageRequest) error {
	all, err := req.members()
	if err != nil {
		return err
	}
	return req.show(http.StatusOK, "members", req.language.translate("members.title"), membersPage{all})
}

// members returns the organization's users by name, without the removed ones.
func (req *pageRequest) members() ([]member, error) {
	var all []member
	const path = "/v1/users?sort=name&status=invited,active,suspended&per_page=1000"
	for next := path; ; {
		var list struct {
			Data       []member `json:"data"`
			Pagination struct {
				NextCursor string `json:"next_cursor"`
			} `json:"pagination"`
		}
		if err := req.callUsers(http.MethodGet, next, nil, &list); err != nil {
			return nil, err
		}
		all = append(all, list.Data...)
		if list.Pagination.NextCursor == "" {
			return all, nil
		}
		next = path + "&cursor=" + list.Pagination.NextCursor
	}
}

// member returns the member that the path names.
func (req *pageRequest) member() (member, error) {
	var found member
	id := req.r.PathValue("member")
	if uuid.Validate(id) != nil {
		return found, req.refuseUnknown("user", id, notFound)
	}
	if err := req.callUsers(http.MethodGet, "/v1/users/"+id, nil, &found); err != nil {
		return found, req.refuseUnknown("user", id, err)
	}
	return found, nil
}

type invitePage struct {
	Form      *form
	Sent      string
	Roles     []string
	Languages languages
}

func newMember(req *pageRequest) error {
	return req.showMemberForm(http.StatusOK, &form{values: url.Values{"role": {"viewer"}, "locale": {req.language.Locale}}})
}

func (req *pageRequest) showMemberForm(status int, f *form) error {
	return req.show(status, "member_invite", req.language.translate("member_invite.title"), invitePage{f, newFormID(), roles, req.languages})
}

// inviteMember creates the user and shows the link for the first password, once.
func inviteMember(req *pageRequest) error {
	f := req.readForm()
	wanted := map[string]any{"email": strings.TrimSpace(f.Value("email")), "name": strings.TrimSpace(f.Value("name")),
		"role": f.Value("role"), "locale": f.Value("locale"), "status": "invited"}
	req.checkMember(f)
	if f.hasProblems() {
		return req.showMemberForm(http.StatusBadRequest, f)
	}
	first, err := req.claimForm(req.ctx(), req.session, f.Value("sent"))
	if err != nil {
		return err
	}
	if !first {
		return req.redirectWithNotice("/settings/members", "already_sent")
	}
	var made member
	err = req.callUsers(http.MethodPost, "/v1/users", wanted, &made)
	switch e := faultOf(err); {
	case err == nil:
		return req.showLink(made)
	case e != nil && e.Kind == fault.KindConflict:
		f.add("email", req.language.translate("problem.member.email.taken"))
	case e != nil && e.Kind == fault.KindInvalid:
		req.explainMember(f, e)
	default:
		return err
	}
	return req.showMemberForm(http.StatusBadRequest, f)
}

func (req *pageRequest) checkMember(f *form) {
	translate := req.language.translate
	if strings.TrimSpace(f.Value("name")) == "" {
		f.add("name", translate("problem.member.name"))
	}
	if strings.TrimSpace(f.Value("email")) == "" {
		f.add("email", translate("problem.email.missing"))
	}
	if !slices.Contains(roles, f.Value("role")) {
		f.add("role", translate("problem.member.role"))
	}
	if !slices.ContainsFunc(req.languages, func(l *language) bool { return l.Locale == f.Value("locale") }) {
		f.add("locale", translate("problem.member.locale"))
	}
}

// explainMember adds the problems that the users service found.
func (req *pageRequest) explainMember(f *form, e *fault.Error) {
	for _, each := range e.Fields {
		switch each.Field {
		case "email":
			f.add("email", req.language.translate("problem.member.email"))
		default:
			f.add("name", req.language.translate("problem.member.name"))
		}
	}
	if len(e.Fields) == 0 {
		f.add("name", req.language.translate("problem.member.name"))
	}
}

type linkPage struct {
	Member    member
	Link      string
	ExpiresAt string
}

// showLink is the only page with a link for a first password. Browsers do not send the part after #.
func (req *pageRequest) showLink(of member) error {
	made, err := call(req, req.principal(), users.Invite, users.InvitationRequest{UserID: &of.ID})
	if refusedWith(err, "has_password") {
		return req.redirectWithNotice("/settings/members", "has_password")
	}
	if err != nil {
		return err
	}
	plan, err := req.plan()
	if err != nil {
		return err
	}
	req.audit("user.link_made", subject{"user", of.ID, of.Name}, nil)
	return req.show(http.StatusOK, "member_link", req.language.translate("member_link.title", of.Name),
		linkPage{of, plan.BaseURL + "/settings/welcome#" + made.Token, made.ExpiresAt})
}

// renewLink creates another link for a member without a password. The previous link becomes invalid.
func renewLink(req *pageRequest) error {
	found, err := req.member()
	if err != nil {
		return err
	}
	return req.showLink(found)
}

type suspendPage struct {
	Member member
	Keys   []key // that become inactive
	Self   bool
}

// confirmSuspendMember shows which keys become inactive.
func confirmSuspendMember(req *pageRequest) error {
	found, err := req.member()
	if err != nil {
		return err
	}
	all, err := req.allKeys()
	if err != nil {
		return err
	}
	shown := suspendPage{Member: found, Self: found.ID == req.user.ID}
	for _, k := range all {
		if k.CreatedBy.ID == found.ID && k.State == "active" {
			shown.Keys = append(shown.Keys, k)
		}
	}
	return req.show(http.StatusOK, "member_suspend", req.language.translate("member_suspend.title", found.Name), shown)
}

func suspendMember(req *pageRequest) error { return req.changeMember("suspended", "member_suspended") }

func resumeMember(req *pageRequest) error { return req.changeMember("active", "member_resumed") }

func (req *pageRequest) changeMember(status, done string) error {
	found, err := req.member()
	if err != nil {
		return err
	}
	err = req.callUsers(http.MethodPatch, "/v1/users/"+found.ID, map[string]any{"status": status}, nil)
	switch e := faultOf(err); {
	case err == nil:
		return req.redirectWithNotice("/settings/members", done)
	case refusedWith(err, "last_administrator"):
		return req.redirectWithNotice("/settings/members", "last_administrator")
	case e != nil && e.Kind == fault.KindConflict:
		return req.redirectWithNotice("/settings/members", "member_state_changed")
	}
	return err
}
