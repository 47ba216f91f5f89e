package main

// group is scenarios that are gone through on one stack.
type group struct {
	name                string
	regions             []string // none: one region
	gateways, instances int      // of each service, in each region
	cells               int      // 0: one
	pooler              bool     // a PgBouncer before PostgreSQL
	standby             bool     // PostgreSQL is a primary and a standby, without a proxy
	scenarios           []scenario
}

// groups are all scenarios, in the order in which they are gone through.
func groups() []group {
	return []group{{
		name: "stack", gateways: 2, instances: 2,
		scenarios: append([]scenario{
			instanceKilled(), gatewayKilled(),
			serviceDown("projects", assistantReportsOutage), serviceDown("users", signInReportsOutage), searchDown(),
			serviceDown("requests", strangersSeeTheOutage), serviceDown("meters", plansByMetersWait), serviceDown("forms", formsAreNotNamed),
			consulDown(),
			redisStopped(), redisStalled(), redisEmptied(),
			postgresStopped(), postgresStalled(), postgresRestarted(),
			storeStopped(), storeFrozen(), scannerKilled(), scannerFrozen(),
			webhooksDown(),
			collectorDown(), collectorHanging(),
			everythingReplaced(),
		}, hungScenarios()...),
	}, {
		name: "regions", regions: []string{canada, states}, gateways: 1, instances: 1,
		scenarios: regionScenarios(),
	}, {
		name: "pooler", gateways: 1, instances: 1, pooler: true,
		scenarios: []scenario{poolerKilled(), poolerFrozen(), behindPooler(postgresStopped()), behindPooler(postgresStalled())},
	}, {
		name: "standby", gateways: 2, instances: 2, standby: true,
		scenarios: standbyScenarios(),
	}, {
		name: "cells", gateways: 1, instances: 1, cells: 2,
		scenarios: []scenario{cellStopped(), cellStalled()},
	}}
}
