package indicators

// Inside is what the counted assets of a system add up to, in money: SQL expressions that are never NULL.
type Inside struct {
	Value    string // replacement costs
	Deferred string // deferred maintenance
	Need     string // needs: those of the assets that are due for renewal, and the deferred maintenance of the others
	Renewals string // needs of the assets that are due
	Relieved string // deferred maintenance of the assets that are due, which their renewal takes away
}

// SystemNeed is what a system needs spent on it, with everything inside. ownValue and ownDeferred are the system's own replacement cost
// and deferred maintenance, NULL where it has none, and due is whether its own renewal is due. Its own deferred maintenance is of the
// whole system, so renewing an asset takes the asset's share away:
//
//	parts = Renewals + max(0, own − Relieved), or Need where the system has no deferred maintenance of its own
//	need  = max(own or Value, own or Deferred, parts) where the system's own renewal is due, else parts
func SystemNeed(due, ownValue, ownDeferred string, inside Inside) string {
	parts := "CASE WHEN " + ownDeferred + " IS NULL THEN " + inside.Need +
		" ELSE " + inside.Renewals + " + greatest(" + ownDeferred + " - " + inside.Relieved + ", 0) END"
	return "CASE WHEN " + due + " THEN greatest(" + Own(ownValue, inside.Value) + ", " + Own(ownDeferred, inside.Deferred) + ", " + parts +
		") ELSE " + parts + " END"
}
