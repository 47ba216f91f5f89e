package accounts

import (
	"context"
	"strings"

	contract "ams.internal/libs/domain/contracts/users"
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
	made, err := contract.CreateAdministrator.Call(of.within(ctx), client,
		contract.AdministratorRequest{Email: first.Email, Name: first.Name, Password: first.Password})
	return made.ID, err
}
