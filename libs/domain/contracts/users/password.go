package users

// PasswordChange has the password of a user, and the one that takes its place.
type PasswordChange struct {
	UserID  string `json:"user_id" required:"true" format:"uuid"`
	Current string `json:"current_password" required:"true" maxLength:"1000"`
	New     string `json:"new_password" required:"true" maxLength:"1000"`
}

// ChangedPassword says when the password was changed.
type ChangedPassword struct {
	ChangedAt string `json:"changed_at"`
}

// InvitationRequest names a user who has no password, by id or by e-mail address.
type InvitationRequest struct {
	UserID *string `json:"user_id,omitempty" format:"uuid"`
	Email  *string `json:"email,omitempty" maxLength:"254"`
}

// CreatedInvitation is an invitation with its token.
type CreatedInvitation struct {
	Token     string `json:"token"`
	ExpiresAt string `json:"expires_at"`
	UserID    string `json:"user_id"`
	Name      string `json:"name"`
	Email     string `json:"email"`
}

// TokenRequest has the token of an invitation.
type TokenRequest struct {
	Token string `json:"token" required:"true" maxLength:"200"`
}

// Invitation is what the user of a token is shown.
type Invitation struct {
	Name      string `json:"name"`
	Email     string `json:"email"`
	Locale    string `json:"locale"`
	ExpiresAt string `json:"expires_at"`
}

// FirstPassword has the token of an invitation and the password for its user.
type FirstPassword struct {
	Token string `json:"token" required:"true" maxLength:"200"`
	New   string `json:"new_password" required:"true" maxLength:"1000"`
}

// UserWithPassword is the user who has a password now.
type UserWithPassword struct {
	OrganizationID string `json:"organization_id"`
	UserID         string `json:"user_id"`
	Name           string `json:"name"`
	Email          string `json:"email"`
	Role           string `json:"role"`
	Locale         string `json:"locale"`
}

// AdministratorRequest is an organization's first administrator.
type AdministratorRequest struct {
	Email    string `json:"email" required:"true" maxLength:"254" format:"email"`
	Name     string `json:"name" required:"true" maxLength:"200"`
	Password string `json:"password" required:"true" minLength:"12" maxLength:"1000"`
}

// CreatedAdministrator is the administrator with the id.
type CreatedAdministrator struct {
	ID    string `json:"id"`
	Email string `json:"email"`
	Name  string `json:"name"`
}
