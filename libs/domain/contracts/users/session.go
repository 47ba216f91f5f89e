package users

// Credentials are what somebody signs in with.
type Credentials struct {
	Email        string  `json:"email" required:"true" maxLength:"254"`
	Password     string  `json:"password" required:"true" maxLength:"1000"`
	Organization *string `json:"organization_id,omitempty" format:"uuid"`
}

// SignedIn is a user with the organization.
type SignedIn struct {
	OrganizationID string `json:"organization_id"`
	UserID         string `json:"user_id"`
	Name           string `json:"name"`
	Email          string `json:"email"`
	Role           string `json:"role"`
	Status         string `json:"status"`
	Locale         string `json:"locale"`
}

// SessionRequest names the user of a session.
type SessionRequest struct {
	UserID string  `json:"user_id" required:"true" format:"uuid"`
	Since  *string `json:"since,omitempty" format:"date-time" doc:"When the session began."`
}

// UserRequest names a user.
type UserRequest struct {
	UserID string `json:"user_id" required:"true" format:"uuid"`
}

// State is what a user may be responsible as.
type State struct {
	UserID string `json:"user_id"`
	Name   string `json:"name"`
	Role   string `json:"role"`
	Status string `json:"status"`
}
