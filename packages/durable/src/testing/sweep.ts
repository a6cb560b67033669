import { AssertionError } from 'node:assert';
import { isDeepStrictEqual } from 'node:util';
import { canonicalJson } from '@sallyport/core/internal';
import { type Kill, killOnce, killText } from './internal/kill.js';
import { SWEEP_OPTIONS } from './internal/options.js';
import { surplus } from './internal/surplus.js';
import { drive } from './run-durable.js';
import type { BuildDurable, DurableRun, SweepOptions } from './types.js';

/** Counts of a sweep. */
export interface SweepReport {
  /** Runs, each with one kill. */
  readonly kills: number;
  /** Step functions that ran twice, because a kill came between their effect and its record. */
  readonly repeated: number;
  /** Runs in which a kill interrupted a step of `atMostOnce`. */
  readonly interrupted: number;
  /** The run without a kill. */
  readonly run: DurableRun;
}

/**
 * Kills an execution at every point, once in each run: before each checkpoint is stored, after it is stored but before it is answered,
 * at the end of each step function, and after each invocation. The service then invokes the function again, as Lambda does.
 *
 * @returns counts
 * @throws FrameworkError `app.invalid_configuration` for an unknown option or a wrong type
 * @throws AssertionError that lists every kill after which the result or status differs, a function of
 *   `atMostOnce` ran twice, or a log line, metric or span was written two or more additional times or with other fields. Times and
 *   ids that differ by their nature are not compared. The sweep also fails if a recorded step runs again.
 * @example
 * const { kills, repeated } = await sweep(build, event);
 */
export async function sweep(build: BuildDurable, event: unknown, options: SweepOptions = {}): Promise<SweepReport> {
  const { atMostOnce, check } = SWEEP_OPTIONS.parse(options);
  const { atMostOnce: _names, check: _check, ...runOptions } = options;
  const run = await drive(build, event, runOptions);
  const problems: string[] = [];
  let repeated = 0;
  let interrupted = 0;
  const kills = killsOf(run);
  for (const kill of kills) {
    const text = killText(kill);
    const killed = await drive(build, event, runOptions, { kills: killOnce(kill) });
    const twice = repeatedBodies(killed);
    repeated += twice.length;
    const isInterrupted = killed.operations.some(({ Name = '', Status, StepDetails }) => {
      return (
        atMostOnce.includes(Name) && Status === 'FAILED' && /Interrupted/.test(StepDetails?.Error?.ErrorType ?? '')
      );
    });
    if (isInterrupted) interrupted += 1;
    const found = [
      ...(isInterrupted ? [] : differences(run, killed)),
      ...twice.filter((name) => atMostOnce.includes(name)).map((name) => `step "${name}" ran twice`),
      ...surplus(run, killed, isInterrupted),
    ];
    problems.push(...found.map((problem) => `${text}: ${problem}`));
    await check?.(killed, text);
  }
  if (problems.length > 0) {
    const list = problems.map((problem) => `\n  ${problem}`).join('');
    throw new AssertionError({ message: `framework: ${problems.length} problems in ${kills.length} kills:${list}` });
  }
  return { kills: kills.length, repeated, interrupted, run };
}

/** Every point at which a run can be killed. */
function killsOf({ checkpoints, bodies, invocations, started }: DurableRun): readonly Kill[] {
  const each = (at: Kill['at'], count: number): Kill[] =>
    Array.from({ length: count }, (_, n) => ({ at, count: n + 1 }));
  return [
    ...each('before', checkpoints),
    ...each('after', checkpoints),
    ...each('body', bodies.length),
    ...each(
      'answer',
      started.reduce((sum, one) => sum + one.invocations, invocations),
    ),
  ];
}

/** Names of the functions that ran twice in one attempt. */
function repeatedBodies({ bodies }: DurableRun): string[] {
  const seen = new Set<string>();
  return bodies.flatMap(({ operationId, attempt, name, execution = '' }) => {
    const key = `${execution} ${operationId} ${attempt}`;
    if (seen.has(key)) return [name];
    seen.add(key);
    return [];
  });
}

/** The differences between the outcomes of two runs. */
export function differences(expected: DurableRun, actual: DurableRun): string[] {
  if (actual.status !== expected.status) {
    const why = actual.error?.ErrorMessage ? `: ${actual.error.ErrorMessage}` : '';
    return [`the status is ${actual.status} instead of ${expected.status}${why}`];
  }
  const [ends, expectedEnds] = [endsOf(actual), endsOf(expected)];
  if (!isDeepStrictEqual(ends, expectedEnds)) {
    return [`the started executions end with ${canonicalJson(ends)} instead of ${canonicalJson(expectedEnds)}`];
  }
  if (isDeepStrictEqual(actual.result, expected.result)) return [];
  return [`the result is ${canonicalJson(actual.result)} instead of ${canonicalJson(expected.result)}`];
}

const endsOf = ({ started }: DurableRun) =>
  started.map(({ name, status, result = null }) => ({ name, status, result }));
