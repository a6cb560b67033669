import type {
  Environment,
  FullClock,
  IdGenerator,
  LambdaContext,
  Logger,
  Observability,
  RequestInput,
  Response,
} from '@sallyport/core';
import { ManualClock, ManualIdGenerator } from '@sallyport/core/testing';
import { type App, type AppOptions, createApp } from '@sallyport/dispatch/app';
import type { AnswerOf } from '../builders/shape.js';
import { type Check, type Checks, checkOptions, nonBlank, object, textMap } from '../internal/check.js';
import { createLambdaContext, type LambdaContextOptions, type TestLambdaContext } from './lambda-context.js';
import { createRecording, type Recording, type Records } from './records.js';
import { drain, type StreamedAnswer } from './streamed.js';

export interface TestEnvOptions {
  /** Start of the clock; the epoch unless given. */
  readonly now?: Date | number;
  /** `test-id` unless given. */
  readonly idPrefix?: string;
  /** What containers read instead of `process.env`; empty unless given. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Defaults of every Lambda context made here. */
  readonly lambda?: LambdaContextOptions;
}

/** What any container takes to be deterministic. */
export interface ContainerOptions {
  readonly clock: FullClock;
  readonly ids: IdGenerator;
  readonly environment: Environment;
  readonly log: Logger;
  readonly observability: Observability;
}

/** Anything with the one entrypoint. */
export interface LambdaApp {
  readonly handleLambda: (event: unknown, lambdaContext?: LambdaContext) => Promise<unknown>;
}

/** Anything that serves a request without a front door. */
export interface DirectApp {
  readonly serve: (request: RequestInput, lambdaContext?: LambdaContext) => Promise<Response>;
}

/** A deterministic surrounding for containers. Two of them share nothing. */
export interface TestEnv {
  readonly clock: ManualClock;
  readonly ids: ManualIdGenerator;
  readonly environment: Record<string, string>;
  readonly records: Records;
  /** To spread into any container: `new SecureApp({ ...env.options(), principalResolver })`. */
  options(): ContainerOptions;
  /** The open container with these options and the given ones. */
  app(options?: AppOptions): App;
  lambdaContext(options?: LambdaContextOptions): TestLambdaContext;
  /** Hands an event to the app; the type of the answer follows from the builder's event. */
  invoke<E>(app: LambdaApp, event: E, lambda?: LambdaContext): Promise<AnswerOf<E>>;
  /** Reads a streamed answer to its end. */
  invokeStreaming(app: LambdaApp, event: unknown, lambda?: LambdaContext): Promise<StreamedAnswer>;
  /** Runs the pipeline without a front door. */
  serve(app: DirectApp, request: RequestInput, lambda?: LambdaContext): Promise<Response>;
  /** A turn in which other invocations may run; where `interleave` may park this one. */
  pause(): Promise<void>;
}

const instant: Check = {
  wanted: 'a valid Date or a number of milliseconds',
  accepts: (value) => Number.isFinite(value instanceof Date ? value.getTime() : value),
};

const CHECKS: Checks<TestEnvOptions> = { now: instant, idPrefix: nonBlank, environment: textMap, lambda: object };

/**
 * Makes an environment with a clock that stands still, ids that count and records that are kept.
 *
 * @throws FrameworkError for an unknown option or a wrong type
 * @example
 * const env = createTestEnv();
 * const app = env.app();
 * app.get('/now', (ctx) => text(200, ctx.now().toISOString()));
 * const answer = await env.invoke(app, buildAPIGatewayV2Request('GET', '/now'));
 */
export function createTestEnv(options: TestEnvOptions = {}): TestEnv {
  checkOptions(options, CHECKS);
  const clock = new ManualClock(options.now);
  return assembleEnv(clock, new ManualIdGenerator(options.idPrefix), options);
}

/** An environment around a given clock and ids. */
export function assembleEnv(
  clock: ManualClock,
  ids: ManualIdGenerator,
  { environment: variables, lambda }: TestEnvOptions,
  pause: () => Promise<void> = async () => {},
  { records, log, observability }: Recording = createRecording(clock),
): TestEnv {
  const environment = { ...variables };
  const containerOptions = (): ContainerOptions => ({ clock, ids, environment, log, observability });
  const lambdaContext = (own: LambdaContextOptions = {}) => createLambdaContext(clock, { ...lambda, ...own });
  return {
    clock,
    ids,
    environment,
    records,
    options: containerOptions,
    app: (own = {}) => createApp({ ...containerOptions(), ...own }),
    lambdaContext,
    invoke: async <E>(app: LambdaApp, event: E, context: LambdaContext = lambdaContext()) =>
      (await app.handleLambda(event, context)) as AnswerOf<E>,
    invokeStreaming: (app, event, context = lambdaContext()) => drain(app, event, context),
    serve: (app, request, context = lambdaContext()) => app.serve(request, context),
    pause,
  };
}
