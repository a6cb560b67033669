/** What became of a record in the end. */
export type RecordEnd = 'done' | 'dead-letter' | 'expired' | 'lost' | 'stuck';

/** What a simulation knows of one record. */
export interface RecordResult {
  /** How often it was passed to the app. */
  readonly deliveries: number;
  /** How often its handler completed, as the framework itself observed it. */
  readonly completions: number;
  /**
   * `done`: its handler completed and the source let go of it. `dead-letter`: it was given up after its retries. `expired`: it grew
   * too old. `lost`: the source let go of it though its handler never completed. `stuck`: it was left over at the end.
   */
  readonly end: RecordEnd;
}

/** One invocation of a simulation. */
export interface SimulatedInvocation {
  /** Virtual milliseconds since the start. */
  readonly time: number;
  /** Ids of the records that it was handed. */
  readonly records: readonly string[];
  /** What it answered; absent when it threw. */
  readonly answer?: unknown;
  /** What was thrown, as text; `timeout` when the function's time ran out. Absent when it answered. */
  readonly error?: string;
}

/** Something that went wrong in a simulation. */
export interface Violation {
  /**
   * `lost`: a record was removed though its handler never completed. `unknown-identifier`, `missing-identifier`: the answer
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
  /** What happened, in words. */
  readonly text: string;
}

/** What a simulation found. */
export interface SimulationResult {
  /** The invocations, in order. */
  readonly invocations: readonly SimulatedInvocation[];
  /** The records by id. */
  readonly records: Readonly<Record<string, RecordResult>>;
  /** What went wrong, in order; empty when nothing did. */
  readonly violations: readonly Violation[];
  /** With `unknownIdentifiers: 'both'`: the run in which AWS ignores unknown identifiers. Absent otherwise. */
  readonly ignoring?: SimulationResult;
}

/**
 * Asserts that no record was lost. Looks at the result, not at its `ignoring`.
 *
 * @throws Error with the record's history, for a record that was lost, is stuck, was reported in a way that AWS cannot
 * identify, or was not answered once
 */
export function assertNothingLost(result: SimulationResult): void {
  const found = result.violations.find(({ kind }) => kind !== 'out-of-order');
  if (found) throw failure(result, found.record, found.text);
}

/**
 * Asserts that every handler completed once. Looks at the result, not at its `ignoring`.
 *
 * @throws Error with the record's history, for a record whose handler did not complete exactly once
 */
export function assertCompletedOnce(result: SimulationResult): void {
  for (const [id, { completions }] of Object.entries(result.records)) {
    if (completions !== 1) throw failure(result, id, `record ${id} completed ${completions} times`);
  }
}

/**
 * Asserts that records completed in the order of their group or shard. Looks at the result, not at its `ignoring`.
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
