package main

// group is scenarios that are gone through on one stack.
type group struct {
	name                string
	regions             []string // none: one region
	gateways, instances int      // of each service, in each region
	scenarios           []scenario
}

// groups are all scenarios, in the order in which they are gone through.
func groups() []group {
	return []group{{
		name: "stack", gateways: 2, instances: 2,
		scenarios: []scenario{
			instanceKilled(), gatewayKilled(),
			serviceDown("projects", assistantSaysSo), serviceDown("users", signInSaysSo), searchDown(),
			serviceDown("requests", strangersAreToldSo), serviceDown("meters", plansByMetersWait), serviceDown("forms", formsAreNotNamed),
			consulDown(),
			redisStopped(), redisStalled(), redisEmptied(),
			postgresStopped(), postgresStalled(), postgresRestarted(),
			storeStopped(), storeFrozen(), scannerKilled(), scannerFrozen(),
			webhooksDown(),
			collectorDown(), collectorHanging(),
			everythingReplaced(),
		},
	}, {
		name: "regions", regions: []string{canada, states}, gateways: 1, instances: 1,
		scenarios: regionScenarios(),
	}}
}
