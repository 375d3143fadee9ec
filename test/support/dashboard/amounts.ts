/** The number of records of each kind in a large organization. */
export interface Amounts {
  approvals: number;
  /** Calls outside of code runs. */
  calls: number;
  policies: number;
  runs: number;
  callsOfRun: number;
  deliveries: number;
  activity: number;
  people: number;
  connections: number;
  servers: number;
  workspaces: number;
}

/** The amounts for which the dashboard is designed. */
export const LARGE: Amounts = {
  ...{ approvals: 100_000, calls: 100_000, policies: 1000, runs: 20_000, callsOfRun: 2 },
  ...{ deliveries: 150_000, activity: 300_000, people: 5000, connections: 2000, servers: 200, workspaces: 12 },
};

/** LARGE multiplied by `share`, rounded up, except `callsOfRun` and `workspaces`. */
export function amountsOf(share: number): Amounts {
  const scaled = Object.entries(LARGE).map(([name, amount]) => [name, Math.ceil(amount * share)]);
  return { ...(Object.fromEntries(scaled) as unknown as Amounts), callsOfRun: LARGE.callsOfRun, workspaces: LARGE.workspaces };
}
