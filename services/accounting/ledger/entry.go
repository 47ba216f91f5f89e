package ledger

import (
	"fmt"
	"time"
)

// Type is what an entry does.
type Type uint8

const (
	Opening          Type = iota // what was there before the ledger
	Acquisition                  // bought
	Construction                 // work in progress; negative for credits
	InService                    // of work in progress; later parts are betterments
	Contribution                 // given by somebody, at its fair value
	Betterment                   // more, or longer, service: a layer
	Estimate                     // another life, units left or residual
	WriteDown                    // lasting loss of service
	Disposal                     // of all, or a part
	TransferOut                  // to another capital asset, at book value
	TransferIn                   // what another gave
	Adjustment                   // correction of a closed year
	RetirementCost               // of an obligation, or a revision of it; Amount is by how much its liability grows
	WorkOut                      // of work in progress, to the cost of another capital asset
	WorkIn                       // what another gave of its work in progress
	Reclassification             // to another class, at book value
	Reinstatement                // of what a disposal of a closed year took
)

// Entry is a transaction of a capital asset. Which fields count follows from its type.
type Entry struct {
	Type   Type
	On     time.Time
	Amount Cents // all types but Estimate, Disposal, TransferIn and Adjustment

	Accumulated Cents // Opening
	// Opening, Acquisition of what was found: when it came into service; TransferIn: when what the other gave did, if nothing is here yet.
	Service   time.Time
	Units     *int   // Opening, Estimate: left
	Life      *int   // Estimate: months in all
	Residual  *Cents // Estimate
	AddedLife int    // Betterment: months

	Proceeds Cents  // Disposal
	Removed  *Cents // Disposal: cost that goes; nil is all. TransferOut: Amount, 0 is all
	Part     *Part  // Disposal: in place of Removed

	Layers []Layer // TransferIn: what TransferOut took; Reinstatement: what comes back, as it would be on the year's first day
	Gain   Cents   // Reinstatement: of the disposal, as it is taken back

	CostChange, AccumulatedChange Cents // Adjustment

	OfWork bool // WriteDown: of work in progress

	Obligation string // RetirementCost: which
}

// Part is a share, such as 25 of 100 or 10 of 100 laptops.
type Part struct{ Of, Whole int64 }

// Effect is what an entry has changed. Accumulated is provisional while its year is open.
type Effect struct {
	Cost, Accumulated, Gain Cents
	Taken                   []Layer // by TransferOut
	Layer                   int     // that it made; 0: none
}

// Impossible is why an entry cannot be posted.
type Impossible struct {
	Entry   int    // its number among those given
	Code    string // stable
	Message string
}

func (e *Impossible) Error() string { return e.Message }

// Refuse is an *Impossible of an entry that the caller of this package objects to.
func Refuse(code, format string, args ...any) error { return impossible(code, format, args...) }

func impossible(code, format string, args ...any) error {
	return &Impossible{Code: code, Message: fmt.Sprintf(format, args...)}
}

// String writes an amount with two decimals.
func (c Cents) String() string {
	sign, n := "", int64(c)
	if n < 0 {
		sign, n = "-", -n
	}
	return fmt.Sprintf("%s%d.%02d", sign, n/100, n%100)
}
