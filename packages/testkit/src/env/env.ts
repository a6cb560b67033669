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
import { defineOptions, group, kind, type OptionKind } from '@sallyport/core/options';
import { ManualClock, ManualIdGenerator } from '@sallyport/core/testing';
import { type App, type AppOptions, createApp } from '@sallyport/dispatch/app';
import type { AnswerOf } from '../builders/shape.js';
import { anyText, anything, filled, textMap } from '../internal/kinds.js';
import { createRecording, type Recording, type Records } from './records.js';
import { drain, type ExportedHandler, type StreamedAnswer } from './streamed.js';

/** Options of `env.lambdaContext`, and of the contexts that an environment makes itself. */
export interface LambdaContextOptions {
  /** The invocation's id. Default: `lambda-1`. */
  readonly requestId?: string;
  /** Milliseconds until the function's timeout; the remaining time decreases as the clock advances. Default: 30,000. */
  readonly remainingMs?: number;
  /** The tenant of an invocation with tenant isolation. Default: left out. */
  readonly tenantId?: string;
  /** An X-Ray header, `Root=1-…`. Default: left out. */
  readonly traceId?: string;
  /** The function's name. Default: `test-function`. */
  readonly functionName?: string;
  /**
   * The ARN that was invoked, with its alias: `…:function:notes:doors` for an application that names its front doors.
   * Default: the ARN of the function, without a qualifier.
   */
  readonly invokedFunctionArn?: string;
  /** Client context that the caller of the `Invoke` API sent: any JSON value. Default: left out. */
  readonly clientContext?: unknown;
  /** The identity id of a caller that used a mobile SDK. Default: left out. */
  readonly cognitoIdentityId?: string;
}

/** The Lambda context of one invocation, on a manual clock. */
export interface TestLambdaContext extends LambdaContext {
  /** The invocation's id. */
  readonly awsRequestId: string;
  /** Milliseconds until the function's timeout, by the environment's clock; 0 from there on. */
  getRemainingTimeInMillis(): number;
}

/** Options of {@link createTestEnv}. */
export interface TestEnvOptions {
  /** Start of the clock: a date, or milliseconds since the epoch. Default: the epoch. */
  readonly now?: Date | number;
  /** Prefix of generated ids: with `test-id` they are `test-id-1`, `test-id-2`. Default: `test-id`. */
  readonly idPrefix?: string;
  /** Variables that containers read instead of `process.env`. Default: empty. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Defaults of every Lambda context made here. Default: the defaults of {@link LambdaContextOptions}. */
  readonly lambda?: LambdaContextOptions;
}

/** Container options that make a container deterministic; every container accepts them. */
export interface ContainerOptions {
  /** The environment's manual clock. */
  readonly clock: FullClock;
  /** The environment's ids. */
  readonly ids: IdGenerator;
  /** The environment's variables. */
  readonly environment: Environment;
  /** A logger of level `debug` whose lines are kept in `env.records.logs`. */
  readonly log: Logger;
  /** Hooks whose records are kept in `env.records`. */
  readonly observability: Observability;
}

/** Any object with the method `handleLambda`. */
export interface LambdaApp {
  /** Answers any trigger event. */
  readonly handleLambda: (event: unknown, lambdaContext?: LambdaContext) => Promise<unknown>;
}

/** Any object that serves a request without a front door. */
export interface DirectApp {
  /** Answers a request. */
  readonly serve: (request: RequestInput, lambdaContext?: LambdaContext) => Promise<Response>;
}

/** Deterministic options for containers, and records of their output. Two environments share nothing. */
export interface TestEnv {
  /** The clock; it advances only when the test advances it. */
  readonly clock: ManualClock;
  /** Counted ids. */
  readonly ids: ManualIdGenerator;
  /** The variables that containers read; a test may change them. */
  readonly environment: Record<string, string>;
  /** Logs, metrics and spans of this environment's containers. */
  readonly records: Records;
  /** Options to spread into the options of any container: `new SecureApp({ ...env.options(), principalResolver })`. */
  options(): ContainerOptions;
  /** Creates an `App` with these options; the given options take precedence. */
  app(options?: AppOptions): App;
  /**
   * Creates a Lambda context; these options take precedence over `lambda` of `createTestEnv`.
   *
   * @throws FrameworkError `app.invalid_configuration` for an unknown option or a wrong type
   */
  lambdaContext(options?: LambdaContextOptions): TestLambdaContext;
  /** Sends an event to the app and returns its response, typed by the builder of the event. Default of `lambda`: a new context. */
  invoke<E>(app: LambdaApp, event: E, lambda?: LambdaContext): Promise<AnswerOf<E>>;
  /**
   * Reads a streamed answer to its end, or to the invocation's deadline. Default of `lambda`: a new context.
   *
   * @param app the exported handler, so that a test of an export that does not stream fails; or a container
   * @throws TypeError for an app that is not a container, a handler that does not stream, or an event of a front door that the handler
   *   does not serve
   * @example
   * import { handler } from '../src/lambda.js'; // createLambdaFunctionURLStreamingHandler(app)
   * const answer = await env.invokeStreaming(handler, buildLambdaFunctionURLRequest('GET', '/progress'));
   */
  invokeStreaming(app: LambdaApp | ExportedHandler, event: unknown, lambda?: LambdaContext): Promise<StreamedAnswer>;
  /** Sends a request to the app without an event of a front door. Default of `lambda`: a new context. */
  serve(app: DirectApp, request: RequestInput, lambda?: LambdaContext): Promise<Response>;
  /** Lets other invocations run; `interleave` may suspend the invocation here. */
  pause(): Promise<void>;
}

const LAMBDA = {
  requestId: filled.default('lambda-1'),
  remainingMs: kind<number>('a number of milliseconds', Number.isFinite).default(30_000),
  tenantId: anyText,
  traceId: anyText,
  functionName: filled.default('test-function'),
  invokedFunctionArn: filled,
  clientContext: anything,
  cognitoIdentityId: anyText,
};
/** Validators and defaults for {@link LambdaContextOptions}. */
export const LAMBDA_OPTIONS = defineOptions<LambdaContextOptions>()(LAMBDA);

const instant: OptionKind<Date | number> = kind('a valid Date or a number of milliseconds', (value) =>
  Number.isFinite(value instanceof Date ? value.getTime() : value),
);

/** Validators and defaults for {@link TestEnvOptions}. */
export const TEST_ENV_OPTIONS = defineOptions<TestEnvOptions>()({
  now: instant,
  idPrefix: filled,
  environment: textMap.default({}),
  lambda: group<LambdaContextOptions>()(LAMBDA),
});

/**
 * Creates a test environment: a clock that only the test advances, ids that are counted, and recorded log lines, metrics and spans. Pass
 * `env.options()` to your application, and send it events with `env.invoke`. It does not read `process.env`.
 *
 * @throws FrameworkError `app.invalid_configuration` for an unknown option or a wrong type
 * @example
 * const env = createTestEnv({ now: new Date('2026-11-21T10:00:00Z') });
 * const app = createService({ ...env.options(), principalResolver: () => ({ identity: 'ada' }) });
 * const answer = await env.invoke(app, buildAPIGatewayV2Request('GET', '/notes/7'));
 * assert.equal(answer.statusCode, 200);
 */
export function createTestEnv(options: TestEnvOptions = {}): TestEnv {
  const { now, idPrefix, environment, lambda } = TEST_ENV_OPTIONS.parse(options);
  return assembleEnv(new ManualClock(now), new ManualIdGenerator(idPrefix), { environment, lambda });
}

/** An environment around a given clock and ids; its other options are not checked. */
export function assembleEnv(
  clock: ManualClock,
  ids: ManualIdGenerator,
  defaults: {
    readonly environment?: Readonly<Record<string, string>>;
    readonly lambda?: LambdaContextOptions | undefined;
  },
  pause: () => Promise<void> = async () => {},
  { records, log, observability }: Recording = createRecording(clock),
): TestEnv {
  const environment = { ...defaults.environment };
  const containerOptions = (): ContainerOptions => ({ clock, ids, environment, log, observability });
  const lambdaContext = (own: LambdaContextOptions = {}) => createLambdaContext(clock, { ...defaults.lambda, ...own });
  return {
    clock,
    ids,
    environment,
    records,
    options: containerOptions,
    app: (own = {}) => createApp({ ...containerOptions(), ...own }),
    lambdaContext,
    invoke: async <E>(app: LambdaApp, event: E, context: LambdaContext = lambdaContext()) =>
      withPlainHeaders(await app.handleLambda(event, context)) as AnswerOf<E>,
    invokeStreaming: (app, event, context = lambdaContext()) => drain(app, event, context),
    serve: (app, request, context = lambdaContext()) => app.serve(request, context),
    pause,
  };
}

/** Header maps of an answer have no prototype. AWS receives only their JSON, and a strict comparison should not fail for a prototype. */
function withPlainHeaders(answer: unknown): unknown {
  const { headers, multiValueHeaders } = Object(answer) as { headers?: object; multiValueHeaders?: object };
  if (!headers && !multiValueHeaders) return answer;
  return {
    ...(answer as object),
    ...(headers && { headers: { ...headers } }),
    ...(multiValueHeaders && { multiValueHeaders: { ...multiValueHeaders } }),
  };
}

function createLambdaContext(clock: FullClock, options: LambdaContextOptions): TestLambdaContext {
  const given = LAMBDA_OPTIONS.parse(options);
  const { requestId, remainingMs, functionName, tenantId, traceId, clientContext, cognitoIdentityId } = given;
  const { invokedFunctionArn = `arn:aws:lambda:us-east-1:123456789012:function:${functionName}` } = given;
  const end = clock.monotonicMs() + remainingMs;
  return {
    awsRequestId: requestId,
    functionName,
    functionVersion: '$LATEST',
    invokedFunctionArn,
    ...(tenantId !== undefined && { tenantId }),
    ...(traceId !== undefined && { xRayTraceId: traceId }),
    ...(clientContext !== undefined && { clientContext }),
    ...(cognitoIdentityId !== undefined && { identity: { cognitoIdentityId } }),
    getRemainingTimeInMillis: () => Math.max(0, end - clock.monotonicMs()),
  };
}
