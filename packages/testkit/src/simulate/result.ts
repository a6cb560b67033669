/** Final outcome of a record. */
export type RecordEnd = 'done' | 'dead-letter' | 'expired' | 'lost' | 'stuck';

/** Result for one record. */
export interface RecordResult {
  /** Number of deliveries to the app. */
  readonly deliveries: number;
  /** Number of completions of its handler, as the framework observed them. */
  readonly completions: number;
  /**
   * `done`: its handler completed and the source removed it. `dead-letter`: it was given up after its retries. `expired`: it grew
   * too old. `lost`: the source removed it although its handler never completed. `stuck`: it was still in its source at the end.
   */
  readonly end: RecordEnd;
}

/** One invocation of a simulation. */
export interface SimulatedInvocation {
  /** Virtual milliseconds since the start. */
  readonly time: number;
  /** Ids of the delivered records. */
  readonly records: readonly string[];
  /** The answer; absent if the invocation failed. */
  readonly answer?: unknown;
  /** The error as a string; `timeout` if the function timed out. Absent if the invocation answered. */
  readonly error?: string;
}

/** Something that went wrong in a simulation. */
export interface Violation {
  /**
   * `lost`: a record was removed although its handler never completed. `unknown-identifier`, `missing-identifier`: the answer
   * named a record in a way that AWS cannot identify. `out-of-order`: a record completed before an earlier one of its group
   * or shard. `unsettled`: records were left when the simulation was given up. `missing-record`, `answered-twice`: a record is
   * not in the answer, or twice. `never-answered`: a stack waits for an answer that does not come.
   */
  readonly kind:
    | 'lost'
    | 'unknown-identifier'
    | 'out-of-order'
    | 'missing-identifier'
    | 'unsettled'
    | 'missing-record'
    | 'answered-twice'
    | 'never-answered';
  /** Id of the record. */
  readonly record: string;
  /** The violation in words. */
  readonly text: string;
}

/** Result of a simulation. */
export interface SimulationResult {
  /** The invocations, in order. */
  readonly invocations: readonly SimulatedInvocation[];
  /** The records by id. */
  readonly records: Readonly<Record<string, RecordResult>>;
  /** Violations, in order; empty if there were no violations. */
  readonly violations: readonly Violation[];
  /** With `unknownIdentifiers: 'both'`: the run in which AWS ignores unknown identifiers. Absent otherwise. */
  readonly ignoring?: SimulationResult;
}

/**
 * Asserts that no record was lost. Checks the result, not its `ignoring`.
 *
 * @throws Error with the record's history, for a record that was lost, is stuck, was reported in a way that AWS cannot
 * identify, or was not answered once
 */
export function assertNothingLost(result: SimulationResult): void {
  const found = result.violations.find(({ kind }) => kind !== 'out-of-order');
  if (found) throw failure(result, found.record, found.text);
}

/**
 * Asserts that every handler completed once. Checks the result, not its `ignoring`.
 *
 * @throws Error with the record's history, for a record whose handler did not complete exactly once
 */
export function assertCompletedOnce(result: SimulationResult): void {
  for (const [id, { completions }] of Object.entries(result.records)) {
    if (completions !== 1) throw failure(result, id, `record ${id} completed ${completions} times`);
  }
}

/**
 * Asserts that records completed in the order of their group or shard. Checks the result, not its `ignoring`.
 *
 * @throws Error with the record's history, for a record that completed before an earlier one of its group or shard
 */
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
