import { defineOptions } from '@sallyport/core/options';
import { ManualIdGenerator } from '@sallyport/core/testing';
import { assembleEnv, type LambdaApp, type TestEnv } from '../env/env.js';
import { count, positive } from '../internal/kinds.js';
import { changeSince, observeSurroundings, Scheduler } from './internal/scheduler.js';
import { firstDifference, splitRecording, type Transcript, transcribe } from './internal/transcript.js';

/**
 * Makes the event of one invocation. The marker is unique to that invocation: put it into a header, the payload and the
 * credentials. It is also the request id and the tenant of the Lambda context.
 */
export type MarkedEvent = (marker: string) => unknown;

/** Options of {@link interleave}. */
export interface InterleaveOptions {
  /** Number of rounds; each runs the invocations concurrently with another schedule. Default: 20. */
  readonly rounds?: number;
  /** Selects the schedule of the first round; each further round adds 1. Default: 1. */
  readonly seed?: number;
}

/** Validators and defaults for {@link InterleaveOptions}. */
export const INTERLEAVE_OPTIONS = defineOptions<InterleaveOptions>()({
  rounds: positive.default(20),
  seed: count.default(1),
});

/** An app whose operations can be wrapped; both containers are. */
interface Wrappable {
  use?(middleware: (ctx: never, next: (ctx: never) => Promise<unknown>) => Promise<unknown>): unknown;
  useEvents?(middleware: (ctx: never, event: unknown, next: () => Promise<unknown>) => Promise<unknown>): unknown;
}

/**
 * Proves that invocations which run concurrently in one app share nothing: each must answer, log, measure and trace exactly as
 * it does alone in a fresh app. Invocations are suspended at their yield points: `env.pause()`, timers of `env.clock`, fakes
 * with `env.pause`, before and after each handler, and every `next()` of `env.app()`. A seed selects which invocation continues.
 *
 * @throws Error with seed, schedule and the first difference: an answer or record that differs, a marker of another
 *   invocation, timers left running, `process.env` or a global changed
 * @throws FrameworkError `app.invalid_configuration` for an unknown option or a wrong type
 * @example await interleave((env) => buildApp(env), [(marker) => buildAPIGatewayV2Request('GET', '/me', { headers: { 'x-user': marker } }), …]);
 */
export async function interleave(
  buildApp: (env: TestEnv) => LambdaApp | Promise<LambdaApp>,
  invocations: readonly MarkedEvent[],
  options: InterleaveOptions = {},
): Promise<void> {
  const { rounds, seed } = INTERLEAVE_OPTIONS.parse(options);
  const marked = invocations.map((build, index) => ({
    build,
    marker: `marker-${String(index + 1).padStart(4, '0')}x`,
  }));
  const surroundings = observeSurroundings();
  const alone: Transcript[] = [];
  for (const one of marked) alone.push(...(await new Round(seed).run(buildApp, [one])));
  for (let n = 0; n < rounds; n += 1) {
    const round = new Round(seed + n);
    const together = await round.run(buildApp, marked);
    for (const [index, transcript] of together.entries()) {
      const problem = problemOf(index, transcript, alone[index] as Transcript, marked);
      if (problem !== undefined) throw round.failure(problem);
    }
    const change = changeSince(surroundings);
    if (change !== undefined) throw round.failure(change);
  }
}

interface Marked {
  readonly build: MarkedEvent;
  readonly marker: string;
}

function problemOf(index: number, found: Transcript, alone: Transcript, marked: readonly Marked[]): string | undefined {
  const text = Object.values(found).flat().join('\n');
  const foreign = marked.find(({ marker }, other) => other !== index && text.includes(marker));
  const difference = firstDifference(alone, found);
  if (foreign)
    return `invocation ${index} shows ${foreign.marker} of another: ${difference ?? 'it does so when it runs alone, too'}`;
  return difference === undefined ? undefined : `invocation ${index} differs from its run alone at ${difference}`;
}

/** One app with its concurrent invocations. */
class Round {
  readonly #seed: number;
  readonly #scheduler: Scheduler;

  constructor(seed: number) {
    this.#seed = seed;
    this.#scheduler = new Scheduler(seed);
  }

  async run(
    buildApp: (env: TestEnv) => LambdaApp | Promise<LambdaApp>,
    marked: readonly Marked[],
  ): Promise<Transcript[]> {
    const scheduler = this.#scheduler;
    const recordings = splitRecording(scheduler.clock, scheduler.running);
    const pause = () => scheduler.pause();
    const env = parkingEnv(assembleEnv(scheduler.clock, new ManualIdGenerator(), {}, pause, recordings.shared));
    const app = await buildApp(env);
    parkHandlers(app as Wrappable, pause);
    const outcomes: unknown[] = [];
    const invoke = async ({ build, marker }: Marked, index: number) => {
      const context = env.lambdaContext({ requestId: marker, tenantId: marker });
      outcomes[index] = await outcomeOf(app.handleLambda(build(marker), context));
    };
    try {
      await scheduler.runAll(marked.map((one, index) => () => invoke(one, index)));
    } catch (error) {
      throw this.failure(error instanceof Error ? error.message : String(error));
    }
    const left = scheduler.clock.pendingTimers;
    if (left > 0)
      throw this.failure(`${left} timers still run after the invocations: clear them, or await them in the handler`);
    return marked.map((_, index) => transcribe(outcomes[index], recordings.of(index).records));
  }

  failure(problem: string): Error {
    return new Error(`${problem}\nseed ${this.#seed}, schedule ${this.#scheduler.schedule.join(' ')}`);
  }
}

/** The environment, whose own containers also suspend at every `next()`. */
function parkingEnv(env: TestEnv): TestEnv {
  return {
    ...env,
    app(options) {
      const app = env.app(options);
      const { use, useEvents } = app;
      app.use = (middleware) =>
        use.call(app, (ctx, next) => middleware(ctx, (own) => around(env.pause, () => next(own))));
      app.useEvents = (middleware) =>
        useEvents.call(app, (ctx, event, next) => middleware(ctx, event, () => around(env.pause, next)));
      return app;
    },
  };
}

async function around<T>(pause: () => Promise<void>, next: () => Promise<T>): Promise<T> {
  await pause();
  const result = await next();
  await pause();
  return result;
}

/** Adds yield points directly before and after each handler. */
function parkHandlers(app: Wrappable, pause: () => Promise<void>): void {
  app.use?.((ctx, next) => around(pause, () => next(ctx)));
  app.useEvents?.((_ctx, _event, next) => around(pause, next));
}

async function outcomeOf(answer: Promise<unknown>): Promise<unknown> {
  try {
    return { answer: await answer };
  } catch (error) {
    return { error };
  }
}
