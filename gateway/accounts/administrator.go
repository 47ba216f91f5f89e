package accounts

import (
	"context"
	"strings"

	"ams.internal/libs/reference"
	"ams.internal/libs/schema"
)

// administrator is the first user of an organization; the users service stores it.
type administrator struct {
	ID       string `json:"id"`
	Email    string `json:"email" required:"true" maxLength:"254"`
	Name     string `json:"name" required:"true" maxLength:"200"`
	Password string `json:"password,omitempty" required:"true" maxLength:"1000"`
}

func readAdministrator(given map[string]any) (*administrator, schema.Problems) {
	var problems schema.Problems
	if given == nil {
		return nil, problems
	}
	text := func(name string) string {
		value, _ := given[name].(string)
		if strings.TrimSpace(value) == "" {
			problems.Add("administrator."+name, "must be given")
		}
		return value
	}
	return &administrator{Email: text("email"), Name: text("name"), Password: text("password")}, problems
}

func createAdministrator(ctx context.Context, client *reference.Client, first administrator, of organization) (string, error) {
	var made struct {
		ID     string `json:"id"`
		UserID string `json:"user_id"`
	}
	err := client.Post(of.within(ctx), "users", "/internal/users/administrators",
		map[string]any{"email": first.Email, "name": first.Name, "password": first.Password}, &made)
	if made.ID == "" {
		made.ID = made.UserID
	}
	return made.ID, err
}
