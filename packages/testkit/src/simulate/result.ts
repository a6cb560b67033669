/** What became of a record in the end. */
export type RecordEnd = 'done' | 'dead-letter' | 'expired' | 'lost' | 'stuck';

export interface RecordResult {
  readonly deliveries: number;
  /** How often its handler completed, as the framework itself observed it. */
  readonly completions: number;
  readonly end: RecordEnd;
}

export interface SimulatedInvocation {
  /** Virtual milliseconds since the start. */
  readonly time: number;
  readonly records: readonly string[];
  readonly answer?: unknown;
  /** What was thrown, as text; `timeout` when the function's time ran out. */
  readonly error?: string;
}

export interface Violation {
  readonly kind: 'lost' | 'unknown-identifier' | 'out-of-order' | 'missing-identifier' | 'unsettled';
  readonly record: string;
  readonly text: string;
}

export interface SimulationResult {
  readonly invocations: readonly SimulatedInvocation[];
  readonly records: Readonly<Record<string, RecordResult>>;
  readonly violations: readonly Violation[];
  /** With `unknownIdentifiers: 'both'`: the run in which AWS ignores what it does not know. */
  readonly ignoring?: SimulationResult;
}

/** @throws Error with the record's history, for a record that was lost, is stuck, or was reported so that AWS cannot tell */
export function assertNothingLost(result: SimulationResult): void {
  const found = result.violations.find(({ kind }) => kind !== 'out-of-order');
  if (found) throw failure(result, found.record, found.text);
}

/** @throws Error with the record's history, for a record whose handler did not complete exactly once */
export function assertCompletedOnce(result: SimulationResult): void {
  for (const [id, { completions }] of Object.entries(result.records)) {
    if (completions !== 1) throw failure(result, id, `record ${id} completed ${completions} times`);
  }
}

/** @throws Error with the record's history, for a record that completed before an earlier one of its group or shard */
export function assertOrdered(result: SimulationResult): void {
  const found = result.violations.find(({ kind }) => kind === 'out-of-order');
  if (found) throw failure(result, found.record, found.text);
}

function failure({ invocations, records }: SimulationResult, id: string, text: string): Error {
  const history = invocations
    .filter((invocation) => invocation.records.includes(id))
    .map(
      ({ time, answer, error }) =>
        `  at ${time} ms: ${error === undefined ? JSON.stringify(answer) : `threw ${error}`}`,
    );
  const { deliveries = 0, completions = 0, end = 'stuck' } = records[id] ?? {};
  const summary = `record ${id}: ${deliveries} deliveries, ${completions} completions, ${end}`;
  return new Error([text, summary, ...history].join('\n'));
}
