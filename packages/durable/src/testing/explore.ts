import { isDeepStrictEqual } from 'node:util';
import type { Driving } from './internal/execution-driver.js';
import { type ParsedHistory, parseHistories } from './internal/exported-history.js';
import { type Kill, killOnce, killText } from './internal/kill.js';
import { EXPLORE_OPTIONS } from './internal/options.js';
import { type Read, withProbes } from './internal/probes.js';
import { replayHistory } from './internal/replay-history.js';
import type { Body } from './observer.js';
import { drive } from './run-durable.js';
import { differences } from './sweep.js';
import type { BuildDurable, DurableHandler, DurableRun, ExploreOptions, RunDurableOptions } from './types.js';

/** Kinds of findings. */
export type FindingKind =
  | 'clock'
  | 'random'
  | 'environment'
  | 'io'
  | 'order'
  | 'answer'
  | 'captured'
  | 'version'
  | 'history';

/** Something in the code that a replay would break. */
export interface Finding {
  /**
   * `clock`, `random`, `environment`: plain code reads them. `io`: plain code opens a socket, file or timer. `order`: operations differ
   * from run to run. `answer`: the result does. `captured`: the result depends on a variable that outlived an invocation. `version`: the
   * next version cannot finish an execution that this one began. `history`: the next version, or else this one, differs from an
   * exported history.
   */
  readonly kind: FindingKind;
  /** Description of the finding, with the run that showed it. */
  readonly message: string;
  /** The nearest frames of the stack, for reads. */
  readonly stack?: string;
}

/** A step function's end in the first run, which every other run repeats. */
type Outcome = { readonly value: unknown } | { readonly thrown: unknown };

/**
 * Looks for code that a replay would break. The execution runs many times: at other times and with other random numbers in its plain
 * code, with other completion orders of its steps, with kills, in one process that keeps its variables, and begun by this version but
 * finished by the next. Each step function runs once: later runs repeat its outcome, so that only plain code can make a difference.
 *
 * Synchronous file access is not observed. While it runs, globals such as `Date` and `process.env` are replaced: run one at a time.
 *
 * @returns the findings, each once; empty for code that a replay does not break
 * @throws AssertionError as `runDurable`, for the first run
 * @throws FrameworkError `app.invalid_configuration` for an unknown option, and for a history that is incomplete, of another function or format
 * @example assert.deepEqual(await explore(build, event), []);
 */
export async function explore(
  build: BuildDurable,
  event: unknown,
  options: ExploreOptions = {},
): Promise<readonly Finding[]> {
  const { seeds, next, histories, functionName } = EXPLORE_OPTIONS.parse(options);
  const { seeds: _seeds, next: _next, histories: _histories, functionName: _name, ...runOptions } = options;
  const parsed = parseHistories(histories, functionName);
  const found = await new Exploration(build, event, runOptions).run(seeds, next);
  const differing = await inHistories(next ?? build, parsed, runOptions);
  return [...found, ...differing];
}

async function inHistories(
  build: BuildDurable,
  histories: readonly ParsedHistory[],
  options: RunDurableOptions,
): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const history of histories) {
    const problems = await replayHistory(build, history, options);
    findings.push(...problems.map((text): Finding => ({ kind: 'history', message: `${history.title}: ${text}` })));
  }
  return findings;
}

class Exploration {
  readonly #build: BuildDurable;
  readonly #event: unknown;
  readonly #options: RunDurableOptions;
  readonly #findings = new Map<string, Finding>();
  readonly #outcomes = new Map<string, Outcome>();

  constructor(build: BuildDurable, event: unknown, options: RunDurableOptions) {
    this.#build = build;
    this.#event = event;
    this.#options = options;
  }

  async run(seeds: number, next: BuildDurable | undefined): Promise<readonly Finding[]> {
    const first = await this.#drive(1, this.#build);
    for (let seed = 2; seed <= seeds + 1; seed += 1) {
      await this.#compare(first, 'answer', `with seed ${seed}`, () => this.#drive(seed, this.#build));
    }
    for (const kill of replaysOf(first)) {
      const kills = killOnce(kill);
      await this.#compare(first, 'answer', killText(kill), () => this.#drive(kill.count + 1, this.#build, { kills }));
    }
    if (!this.#has('answer')) await this.#captured(first);
    if (next) await this.#versions(first, next);
    return [...this.#findings.values()];
  }

  /** One handler for all invocations of an execution that is killed, and for a second execution. */
  async #captured(first: DurableRun): Promise<void> {
    let kept: DurableHandler | undefined;
    const build: BuildDurable = async (env) => {
      kept ??= await this.#build(env);
      return kept;
    };
    const text = 'in a process that keeps its variables';
    await this.#compare(first, 'captured', text, () => this.#drive(1, build));
    for (const kill of replaysOf(first).filter(({ at }) => at === 'answer')) {
      if (this.#has('captured')) return;
      kept = undefined;
      const kills = killOnce(kill);
      await this.#compare(first, 'captured', `${text}, ${killText(kill)}`, () => this.#drive(1, build, { kills }));
    }
  }

  async #versions(first: DurableRun, next: BuildDurable): Promise<void> {
    for (let last = 1; last < first.invocations && !this.#has('version'); last += 1) {
      let count = 0;
      const build: BuildDurable = (env) => {
        count += 1;
        return count <= last ? this.#build(env) : next(env);
      };
      await this.#version(first, `after invocation ${last}`, build, {});
    }
    for (const kill of replaysOf(first)) {
      if (this.#has('version')) return;
      const plan = killOnce(kill);
      let isKilled = false;
      const kills: Driving['kills'] = (at, count) => {
        const dies = plan(at, count);
        isKilled ||= dies;
        return dies;
      };
      const build: BuildDurable = (env) => (isKilled ? next(env) : this.#build(env));
      await this.#version(first, killText(kill), build, { kills });
    }
  }

  async #version(first: DurableRun, text: string, build: BuildDurable, driving: Driving): Promise<void> {
    const run = await this.#attempt(() => this.#drive(1, build, driving));
    if (typeof run === 'string') this.#add('version', `${text}, the next version fails: ${run}`);
    else if (run.status !== first.status) {
      this.#add('version', `${text}, the next version ends as ${run.status}: ${run.error?.ErrorMessage ?? ''}`);
    }
  }

  async #compare(first: DurableRun, kind: FindingKind, text: string, run: () => Promise<DurableRun>): Promise<void> {
    const other = await this.#attempt(run);
    if (typeof other === 'string') {
      this.#add(kind, `${text}, the execution fails: ${other}`);
      return;
    }
    const isMismatch = /Non-deterministic execution/.test(other.error?.ErrorMessage ?? '');
    if (isMismatch) this.#add('order', `${text}: ${other.error?.ErrorMessage}`);
    else if (!isDeepStrictEqual(shapeOf(other), shapeOf(first)) && kind === 'answer') {
      this.#add('order', `${text}, its operations are ${namesOf(other)} instead of ${namesOf(first)}`);
    }
    for (const difference of isMismatch ? [] : differences(first, other)) this.#add(kind, `${text}, ${difference}`);
  }

  async #attempt(run: () => Promise<DurableRun>): Promise<DurableRun | string> {
    try {
      return await run();
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }

  /** One run. The first seed keeps the time and the order; others differ in both, and in random numbers. */
  #drive(seed: number, build: BuildDurable, driving: Driving = {}): Promise<DurableRun> {
    const random = sequence(seed);
    const start = Date.parse('2030-01-01T00:00:00Z') + (seed - 1) * 40_000_000_000;
    let reads = 0;
    const now = () => {
      reads += 1;
      return start + reads * 61_000;
    };
    const report = ({ kind, what, stack }: Read) => this.#add(kind, `plain code uses ${what}`, stack);
    return withProbes(report, { now, random }, () =>
      drive(build, this.#event, this.#options, {
        ...driving,
        beforeBody: async () => {
          if (seed === 1) return;
          for (let turns = Math.floor(random() * 8); turns > 0; turns -= 1) await turn();
        },
        aroundBody: (body, run) => this.#once(body, run),
      }),
    );
  }

  async #once({ operationId, attempt }: Body, run: () => unknown): Promise<unknown> {
    const key = `${operationId} ${attempt}`;
    let outcome = this.#outcomes.get(key);
    if (!outcome) {
      outcome = await attempted(run);
      this.#outcomes.set(key, outcome);
    }
    if ('thrown' in outcome) throw outcome.thrown;
    return outcome.value;
  }

  #has(kind: FindingKind): boolean {
    return [...this.#findings.values()].some((finding) => finding.kind === kind);
  }

  /** A result that differs in many ways is one finding; so are reads in one line. */
  #add(kind: FindingKind, message: string, stack?: string): void {
    const key = stack === undefined ? kind : `${kind} ${message} ${stack.split('\n')[0]}`;
    if (!this.#findings.has(key)) this.#findings.set(key, { kind, message, ...(stack !== undefined && { stack }) });
  }
}

/** The kills after which something is replayed. */
function replaysOf({ checkpoints, invocations }: DurableRun): Kill[] {
  const each = (at: Kill['at'], length: number) => Array.from({ length }, (_, n): Kill => ({ at, count: n + 1 }));
  return [...each('after', checkpoints), ...each('answer', invocations)];
}

async function attempted(run: () => unknown): Promise<Outcome> {
  try {
    return { value: await run() };
  } catch (thrown) {
    return { thrown };
  }
}

/** Names and types of operations by their ids, which are positions. */
function shapeOf({ operations }: DurableRun): object {
  return Object.fromEntries(operations.slice(1).map(({ Id, Name, Type, ParentId }) => [Id, [Name, Type, ParentId]]));
}

function namesOf({ operations }: DurableRun): string {
  return operations
    .slice(1)
    .map(({ Name, Type }) => Name ?? Type)
    .join(', ');
}

function turn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

/** A seeded sequence of numbers from 0 to below 1 (a linear congruential generator). */
function sequence(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
}
