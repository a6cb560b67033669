import type { Records } from '../env/records.js';
import {
  assertCompletedOnce,
  assertNothingLost,
  assertOrdered,
  type RecordEnd,
  type SimulationResult,
} from '../simulate/result.js';

/** The assertions that {@link matchers} adds; `R` is what an assertion returns. */
export interface TestkitMatchers<R = unknown> {
  /** Of the answer of an HTTP front door, or of `serve`: its status, and its JSON body if that is given. */
  toAnswer(status: number, json?: unknown): R;
  /** Of the answer to a batch: the identifiers that it reports, in any order. */
  toReportFailures(...identifiers: readonly string[]): R;
  /** Of an environment or its records: a log record or line with these members. */
  toHaveLogged(members: Readonly<Record<string, unknown>>): R;
  /** Of an environment or its records: a metric with these members. */
  toHaveMeasured(members: Readonly<Record<string, unknown>>): R;
  /** Of a simulation: how these records ended. */
  toHaveEnded(ends: Readonly<Record<string, RecordEnd>>): R;
  /** Of a simulation: no record was lost, is stuck, or was reported in a way that AWS cannot identify. */
  toHaveLostNothing(): R;
  /** Of a simulation: every handler completed exactly once. */
  toHaveCompletedOnce(): R;
  /** Of a simulation: records completed in the order of their group or shard. */
  toHaveKeptOrder(): R;
}

/** Context that jest and vitest pass to a matcher. */
interface MatcherContext {
  equals(a: unknown, b: unknown): boolean;
}

/** Result of a matcher for the test runner. */
interface MatcherResult {
  readonly pass: boolean;
  readonly message: () => string;
}

type HasRecords = Records | { readonly records: Records };
interface AnyAnswer {
  readonly statusCode?: number;
  readonly status?: number;
  readonly body?: string | Uint8Array;
  readonly isBase64Encoded?: boolean;
}

/**
 * Assertions for `expect.extend`, of jest and of vitest.
 *
 * @example
 * expect.extend(matchers);
 * expect(await env.invoke(app, buildAPIGatewayV2Request('GET', '/notes/1'))).toAnswer(200, { id: '1' });
 */
export const matchers = {
  toAnswer(this: MatcherContext, answer: unknown, status: number, ...json: readonly unknown[]): MatcherResult {
    const found = { status: statusOf(answer), ...(json.length > 0 && { json: bodyOf(answer) }) };
    const wanted = { status, ...(json.length > 0 && { json: json[0] }) };
    return result(this.equals(found, wanted), 'an answer', wanted, found);
  },

  toReportFailures(this: MatcherContext, answer: unknown, ...identifiers: readonly string[]): MatcherResult {
    const failures = (answer as { batchItemFailures?: readonly { itemIdentifier: string }[] } | null)
      ?.batchItemFailures;
    const found = failures?.map(({ itemIdentifier }) => itemIdentifier).sort();
    return result(
      this.equals(found, [...identifiers].sort()),
      'a report of the failures',
      identifiers,
      found ?? answer,
    );
  },

  toHaveLogged(this: MatcherContext, received: HasRecords, members: Readonly<Record<string, unknown>>): MatcherResult {
    return hasMember(this, recordsOf(received).logs, members, 'a log record with');
  },

  toHaveMeasured(
    this: MatcherContext,
    received: HasRecords,
    members: Readonly<Record<string, unknown>>,
  ): MatcherResult {
    return hasMember(this, recordsOf(received).metrics, members, 'a metric with');
  },

  toHaveEnded(
    this: MatcherContext,
    simulation: SimulationResult,
    ends: Readonly<Record<string, RecordEnd>>,
  ): MatcherResult {
    const found = Object.fromEntries(Object.keys(ends).map((id) => [id, simulation.records[id]?.end]));
    return result(this.equals(found, ends), 'records that ended so', ends, found);
  },

  toHaveLostNothing: (simulation: SimulationResult): MatcherResult => asserting(assertNothingLost, simulation),
  toHaveCompletedOnce: (simulation: SimulationResult): MatcherResult => asserting(assertCompletedOnce, simulation),
  toHaveKeptOrder: (simulation: SimulationResult): MatcherResult => asserting(assertOrdered, simulation),
} as const;

function statusOf(answer: unknown): unknown {
  const { statusCode, status } = (answer ?? {}) as AnyAnswer;
  return statusCode ?? status;
}

function bodyOf(answer: unknown): unknown {
  const { body, isBase64Encoded } = (answer ?? {}) as AnyAnswer;
  if (body === undefined || body.length === 0) return undefined;
  const text = typeof body === 'string' && !isBase64Encoded ? body : Buffer.from(body as string, 'base64').toString();
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

function recordsOf(received: HasRecords): Records {
  return 'records' in received ? received.records : received;
}

function hasMember(
  { equals }: MatcherContext,
  records: readonly object[],
  members: Readonly<Record<string, unknown>>,
  what: string,
): MatcherResult {
  const fits = (record: object) =>
    Object.entries(members).every(([key, value]) => equals((record as Readonly<Record<string, unknown>>)[key], value));
  return result(records.some(fits), what, members, records);
}

function asserting(assert: (simulation: SimulationResult) => void, simulation: SimulationResult): MatcherResult {
  try {
    assert(simulation);
    return { pass: true, message: () => 'expected the simulation to fail this assertion, and it passes' };
  } catch (error) {
    return { pass: false, message: () => (error as Error).message };
  }
}

function result(pass: boolean, what: string, wanted: unknown, found: unknown): MatcherResult {
  return {
    pass,
    message: () => `expected ${pass ? 'anything but ' : ''}${what} ${show(wanted)}\nfound ${show(found)}`,
  };
}

function show(value: unknown): string {
  return JSON.stringify(value, null, 2) ?? 'nothing';
}
