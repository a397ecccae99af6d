package oracle

// deedCharges are about acts, each where it stands by itself.
func deedCharges() []charge {
	return []charge{
		{id: "WDC-WAIT-004", sorts: typedIn},
		{id: "WDC-ACT-006", sorts: nudged},
		{id: "WDC-GATE-005", sorts: vetoed},
		{id: "WDC-LIFE-005", sorts: intruded},
		{id: "WDC-EVID-001", sorts: unsaved | outrun},
		{id: "WDC-ACT-001", sorts: rough},
		{id: "WDC-TOOL-006", sorts: overTool},
		{id: "WDC-FENCE-001", sorts: astray | foreignTarget},
		{id: "WDC-ACT-005", sorts: doubled},
		{id: "WDC-ACT-007", sorts: orphaned},
		{id: "WDC-BUDG-001", sorts: overspent},
		{id: "WDC-BUDG-004", sorts: hurried},
		{id: "WDC-BUDG-002", sorts: nagged},
		{id: "WDC-SIDE-002", sorts: blind},
		{id: "WDC-SIDE-004", sorts: rekeyed},
		{id: "WDC-REST-003", sorts: unlooked},
		{id: "WDC-FENCE-002", sorts: outdated},
		{id: "WDC-FENCE-003", sorts: unleased},
		{id: "WDC-QUEUE-001", sorts: impatient},
		{id: "WDC-FLEET-002", sorts: massed},
		{id: "WDC-FLEET-003", sorts: thronged},
		{id: "WDC-WORK-006", sorts: unproven},
		{id: "WDC-EVID-005", sorts: unrestored},
		{id: "WDC-EVID-006", sorts: unbriefed},
		{id: "WDC-EVID-007", sorts: undurable},
		{id: "WDC-LOOP-003", sorts: futile},
		{id: "WDC-GATE-001", sorts: planless},
		{id: "WDC-WORK-002", sorts: removed},
		{id: "WDC-REST-001", sorts: unresolved, fact: (*worker).restarted},
		{id: "WDC-ACT-002", sorts: unresolved},
	}
}

// testedCharges name what a scenario is about where the same deed breaks several requirements.
func testedCharges() []charge {
	t := func(id string, sorts sort) charge { return charge{id: id, sorts: sorts, tested: true} }
	return []charge{
		t("WDC-RACE-001", deeds|verdicts),
		t("WDC-REST-001", deeds|verdicts|untold|repeated),
		t("WDC-REST-004", verdicts|overspent|outdated),
		t("WDC-ACT-003", foreignTarget|astray),
		t("WDC-ACT-004", harm|typedIn|nudged),
		t("WDC-ACT-002", unresolved|rough),
		t("WDC-ACT-008", rough|unresolved),
		t("WDC-WAIT-001", harm|typedIn),
		t("WDC-PAUSE-003", harm|overspent),
		t("WDC-PAUSE-004", harm|overspent),
		t("WDC-LIFE-001", overspent|unresolved),
		t("WDC-LIFE-003", harm|unresolved),
		t("WDC-EVID-007", unsaved|outrun|unresolved),
		t("WDC-WORK-001", unproven|harm|outrun|unresolved),
		t("WDC-WORK-004", overspent|hurried|unapproved|unresolved),
		t("WDC-WORK-005", harm|doubled),
		t("WDC-WORK-008", unleased|doubled),
		t("WDC-SIDE-003", blind|doubled|unresolved),
		t("WDC-SIDE-004", blind|doubled),
		t("WDC-GATE-002", unapproved|removed|harm),
		t("WDC-GATE-003", unapproved|removed),
		t("WDC-BUDG-002", unresolved|overspent),
		t("WDC-BUDG-003", overspent),
		t("WDC-BUDG-005", unresolved),
		t("WDC-QUEUE-001", unresolved),
		t("WDC-QUEUE-002", harm|doubled),
		t("WDC-QUEUE-003", doubled|impatient|blind),
		t("WDC-FENCE-003", doubled),
		t("WDC-FENCE-004", doubled),
		t("WDC-FLEET-001", deeds|verdicts),
		t("WDC-FLEET-005", late|untold|unresolved),
		t("WDC-ALERT-001", unresolved),
		t("WDC-ALERT-002", repeated|untold),
	}
}

// restarted reports whether the subject has crashed in this history.
func (w *worker) restarted() bool { return w.o.world.boots > 0 }
