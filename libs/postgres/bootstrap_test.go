package postgres_test

import (
	"testing"

	"golang.org/x/sync/errgroup"

	"ams.internal/libs/postgres"
	"ams.internal/libs/postgres/postgrestest"
)

// Roles are of the whole server, and a lock is of one database.
func TestAdministratorsOfTwoDatabasesPrepareTheSameRolesAtOnce(t *testing.T) {
	t.Parallel()
	var preparing errgroup.Group
	for range 2 {
		database := postgrestest.New(t, "assets", nil)
		password, _ := mustParse(t, database.OwnerURL).User.Password()
		setup := postgres.Setup{Database: database.Name, OwnerPassword: password, Services: map[string]string{"assets": password}}
		preparing.Go(func() error {
			for range 10 {
				if err := postgres.Bootstrap(t.Context(), database.AdminURL, setup); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err := preparing.Wait(); err != nil {
		t.Error(err)
	}
}
