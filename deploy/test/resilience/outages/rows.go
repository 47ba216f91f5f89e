package main

// group is rows that are gone through on one stack.
type group struct {
	name                string
	regions             []string // none: one region
	gateways, instances int      // of each service, in each region
	rows                []row
}

// groups is the table, in the order in which it is gone through.
func groups() []group {
	return []group{{
		name: "stack", gateways: 2, instances: 2,
		rows: []row{
			instanceKilled(), gatewayKilled(),
			serviceAway("projects"), serviceAway("users"),
			consulAway(),
			redisStopped(), redisStalled(), redisEmptied(),
			postgresStopped(), postgresStalled(), postgresRestarted(),
			webhooksAway(),
			collectorAway(), collectorHanging(),
			everythingReplaced(),
		},
	}, {
		name: "regions", regions: []string{canada, states}, gateways: 1, instances: 1,
		rows: regionRows(),
	}}
}

// world is a stack for the group's rows, which is not yet started.
func (g group) world(folder string, pace pace, say func(string, ...any)) *world {
	return &world{group: g, folder: folder, pace: pace, say: say}
}
