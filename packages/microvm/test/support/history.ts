/** Responses that processes received for one session, and its final state. */
export interface Told {
  readonly sessionId: string;
  readonly state: string;
  readonly version: number;
  readonly microvmId?: string | undefined;
}

/** A session as the table has it in the end. */
export interface FinalRow {
  readonly sessionId: string;
  readonly state: string;
  readonly microvmId?: string | undefined;
}

/** A machine in its final state, with the session that its hook received. */
export interface FinalMachine {
  readonly microvmId: string;
  readonly state: string;
  readonly sessionId: string;
}

const LIVE = ['PENDING', 'RUNNING', 'SUSPENDING', 'SUSPENDED'];
const STATES: Readonly<Record<string, string>> = {
  RUNNING: 'running',
  SUSPENDED: 'suspended',
  TERMINATED: 'terminated',
};

/** Returns contradictions as sentences; empty if the history is consistent. */
export function checkHistory(
  told: readonly Told[],
  rows: readonly FinalRow[],
  machines: readonly FinalMachine[],
): string[] {
  return [...checkTold(told), ...checkRows(rows, machines), ...checkMachines(rows, machines)];
}

/** One version of a session is one state with one machine, and a session never changes its machine. */
function checkTold(told: readonly Told[]): string[] {
  const violations: string[] = [];
  const states = new Map<string, string>();
  const owners = new Map<string, string>();
  for (const { sessionId, state, version, microvmId } of told) {
    const key = `${sessionId} version ${version}`;
    const known = states.get(key);
    if (known !== undefined && known !== state) violations.push(`${key} is ${known} and ${state}`);
    states.set(key, state);
    if (microvmId === undefined) continue;
    const owner = owners.get(sessionId);
    if (owner !== undefined && owner !== microvmId) violations.push(`${sessionId} has ${owner} and ${microvmId}`);
    owners.set(sessionId, microvmId);
  }
  return violations;
}

/** Every session has one row; an open row has the machine that it names, in the state that it names. */
function checkRows(rows: readonly FinalRow[], machines: readonly FinalMachine[]): string[] {
  const violations: string[] = [];
  const seen = new Set<string>();
  for (const { sessionId, state, microvmId } of rows) {
    if (seen.has(sessionId)) violations.push(`${sessionId} has two rows`);
    seen.add(sessionId);
    if (state === 'failed') continue;
    const machine = machines.find((one) => one.microvmId === microvmId);
    if (machine === undefined) violations.push(`${sessionId} is ${state} without a machine`);
    else if (STATES[machine.state] !== state) violations.push(`${sessionId} is ${state}, its machine ${machine.state}`);
  }
  return violations;
}

/** Every living machine is named by one open row, that of its session. */
function checkMachines(rows: readonly FinalRow[], machines: readonly FinalMachine[]): string[] {
  return machines
    .filter(({ state }) => LIVE.includes(state))
    .flatMap(({ microvmId, sessionId }) => {
      const owners = rows.filter((row) => row.microvmId === microvmId && !['terminated', 'failed'].includes(row.state));
      if (owners.length === 0) return [`${microvmId} of ${sessionId} is named by nobody`];
      return owners.length === 1 && owners[0]?.sessionId === sessionId ? [] : [`${microvmId} is named by another`];
    });
}
