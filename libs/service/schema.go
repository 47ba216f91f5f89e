package service

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"ams.internal/libs/postgres"
)

// schemaTimeout is how long a start looks for its schema: a database that is away is no reason not to start.
const schemaTimeout = 1500 * time.Millisecond

// checkSchema says what is missing in a database that responds: the role, the database or the schema. Another start changes nothing
// about that, unless somebody prepares the database or migrates it.
func (s *Service) checkSchema(ctx context.Context) error {
	if s.DB == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, schemaTimeout)
	defer cancel()
	conn, err := s.DB.Connect(ctx)
	if err == nil {
		defer postgres.Disconnect(conn)
		var migrated bool
		if err := conn.QueryRow(ctx, "SELECT to_regclass($1) IS NOT NULL", s.Name+".migration_base").Scan(&migrated); err == nil && !migrated {
			return databaseProblem("has no schema %s: run ams migrate %s first", s.Name, s.Name)
		}
		return nil
	}
	var refused *pgconn.PgError
	if !errors.As(err, &refused) {
		return nil // it is away: readiness says so
	}
	switch refused.Code {
	case "28P01", "28000": // a role that is not there is refused as a wrong password is
		return databaseProblem("refuses the role %s: it is not there, or has another password; amsctl database prepare makes it",
			postgres.Role(s.Name))
	case "3D000":
		return databaseProblem("names a database that is not there: amsctl database prepare makes it")
	}
	return nil
}

func databaseProblem(format string, args ...any) error {
	return &ConfigError{[]Problem{{"AMS_DATABASE_URL", fmt.Sprintf(format, args...)}}}
}
