package postgres

// The SQLSTATEs that the product tells apart, by their names in https://www.postgresql.org/docs/15/errcodes-appendix.html.
const (
	UniqueViolation     = "23505"
	ForeignKeyViolation = "23503"
	NotNullViolation    = "23502"
	CheckViolation      = "23514"

	StringDataRightTruncation   = "22001"
	NumericValueOutOfRange      = "22003"
	InvalidDatetimeFormat       = "22007"
	DatetimeFieldOverflow       = "22008"
	DivisionByZero              = "22012"
	CharacterNotInRepertoire    = "22021"
	InvalidTextRepresentation   = "22P02"
	InvalidBinaryRepresentation = "22P03"
	UntranslatableCharacter     = "22P05"

	SerializationFailure            = "40001"
	DeadlockDetected                = "40P01"
	LockNotAvailable                = "55P03"
	QueryCanceled                   = "57014" // by statement_timeout
	AdminShutdown                   = "57P01"
	CrashShutdown                   = "57P02"
	CannotConnectNow                = "57P03"
	IdleSessionTimeout              = "57P05"
	IdleInTransactionSessionTimeout = "25P03"

	ReadOnlySQLTransaction = "25006" // the server is a standby
	FeatureNotSupported    = "0A000" // among much else: "begin read write" on a standby
	InsufficientPrivilege  = "42501"
	UndefinedTable         = "42P01"
	DiskFull               = "53100"

	// Of our own: enter_moving of migrations/0001_base.sql.
	OrganizationMoving    = "OM001"
	OrganizationSuspended = "OM002"
)

// The classes of SQLSTATEs, which are their first two characters.
const (
	classConnection    = "08" // connection exceptions
	classData          = "22" // values that cannot be stored
	classIntegrity     = "23" // broken constraints
	classResources     = "53" // too many connections, disk full, out of memory
	classDefinition    = "42" // tables, columns and rights that are missing
	classSystemFailure = "58" // failing disks
)

// lastingClasses are the classes of what stays until somebody acts: 28 is a login that is refused, 3D a database and 3F a schema that is
// missing, 42 a table, column or right that is missing, 58 a failing disk, F0 a wrong configuration, XX damaged data.
var lastingClasses = map[string]bool{"28": true, "3D": true, "3F": true, "42": true, classSystemFailure: true, "F0": true, "XX": true}

// classOf gives the class of a SQLSTATE.
func classOf(state string) string { return state[:min(2, len(state))] }

// invalidValueStates are the states of a value that the database cannot store, for example text with a NUL.
var invalidValueStates = map[string]bool{
	StringDataRightTruncation:   true,
	NumericValueOutOfRange:      true,
	InvalidDatetimeFormat:       true,
	DatetimeFieldOverflow:       true,
	CharacterNotInRepertoire:    true,
	InvalidTextRepresentation:   true,
	InvalidBinaryRepresentation: true,
	UntranslatableCharacter:     true,
}

// transientStates are the states that end by themselves: the same request may succeed a moment later.
var transientStates = map[string]bool{
	SerializationFailure:            true,
	DeadlockDetected:                true,
	LockNotAvailable:                true,
	QueryCanceled:                   true,
	AdminShutdown:                   true,
	CrashShutdown:                   true,
	CannotConnectNow:                true,
	IdleSessionTimeout:              true,
	IdleInTransactionSessionTimeout: true,
}
