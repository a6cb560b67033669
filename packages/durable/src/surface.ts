import {
  FrameworkError,
  type Invocation,
  invocationProvenance,
  isFrameworkError,
  isLambda,
  type LambdaContext,
  type MaybePromise,
  type Surface,
  type SurfaceHost,
} from '@sallyport/core';
import { logRefusal, type Scoped } from '@sallyport/core/internal';
import { defineOptions, func, integer, kind, list, string, withMethods } from '@sallyport/core/options';
import { DurableError, streamingRefused } from './errors.js';
import { durationOption, toSeconds } from './internal/checks.js';
import type { ExecutionSettings } from './internal/execution.js';
import type { Duration, ExecutionClient, FailedExecution, RecordedCaller, StartRecord } from './types.js';

/** Options of `durableExecutions`. */
export interface DurableExecutionsOptions {
  /** The number of records of a standard queue that run at the same time, if the registration has no `concurrency`. Default 10. */
  readonly concurrency?: number;
  /**
   * The number of records of a batch that have an operation each. A larger batch is split into parts of this size, and only a part has an operation. Default 100.
   */
  readonly maxRecords?: number;
  /** The names of the caller's claims that are recorded with its identity, scopes, kind and tenant. Default: none. */
  readonly claims?: readonly string[];
  /**
   * Checks the caller again after a long wait: `false` ends the execution with 401. Its decision is recorded. Default: the
   * caller is checked at the start only.
   */
  readonly revalidate?: (caller: RecordedCaller, ctx: object) => MaybePromise<boolean>;
  /** The wait after which `revalidate` runs. Default: one hour. */
  readonly revalidateAfter?: Duration;
  /**
   * Middlewares whose outcome counts at each replay: a list, or `true` for all. Default: an outcome counts once, so that another outcome
   * at a replay does not end a running execution.
   */
  readonly replay?: true | readonly ((ctx: never, ...more: never[]) => unknown)[];
  /**
   * Starts the execution of a record whose delivery is `handoff`. Default: on Lambda `beginExecution` of `@sallyport/durable/start` with the function
   * itself; elsewhere records run in the execution of their batch.
   */
  readonly start?: StartRecord;
  /**
   * Called when an execution has failed, with its last operations; a throw is logged and changes nothing. A killed process calls it again.
   * Default: a line and the metric `framework.execution` only.
   */
  readonly onFailure?: (failed: FailedExecution) => MaybePromise<void>;
  /** The transport of the SDK, for tests. Default: the Lambda API. */
  readonly client?: ExecutionClient;
}

/** Validators and defaults for {@link DurableExecutionsOptions}. */
export const DURABLE_EXECUTIONS_OPTIONS = /* @__PURE__ */ defineOptions<DurableExecutionsOptions>()({
  concurrency: /* @__PURE__ */ integer(1, 1000).default(10),
  maxRecords: /* @__PURE__ */ integer(1, 10_000).default(100),
  claims: /* @__PURE__ */ list(string).default([]),
  revalidate: /* @__PURE__ */ func<NonNullable<DurableExecutionsOptions['revalidate']>>(),
  revalidateAfter: /* @__PURE__ */ durationOption().default({ hours: 1 }),
  replay: /* @__PURE__ */ kind<NonNullable<DurableExecutionsOptions['replay']>>(
    'true, or a list of middlewares',
    (value) => value === true || (Array.isArray(value) && value.every((each) => typeof each === 'function')),
  ).default([]),
  start: /* @__PURE__ */ func<StartRecord>(),
  onFailure: /* @__PURE__ */ func<NonNullable<DurableExecutionsOptions['onFailure']>>(),
  client: /* @__PURE__ */ withMethods<ExecutionClient>('getExecutionState', 'checkpoint'),
});

const KIND = 'durable';
const DURABLE_ENV = 'FRAMEWORK_DURABLE';

/** The row of executions, which is tried after the fixed table. */
const ROW = {
  kind: KIND,
  anyOf: [
    [
      { path: 'DurableExecutionArn', test: 'text' },
      { path: 'CheckpointToken', test: 'text' },
      { path: 'InitialExecutionState.Operations[0]', test: 'object' },
    ],
  ],
} as const;

const SAMPLE = { DurableExecutionArn: 'arn', CheckpointToken: 'token', InitialExecutionState: { Operations: [{}] } };

/**
 * Serves the executions of a durable function: the other surfaces of the container receive the event inside an execution, as if its
 * trigger had invoked the function. Pass it in the option `surfaces`.
 *
 * @throws FrameworkError `app.invalid_configuration` for an unknown or wrong option
 * @example const app = new SecureApp({ principalResolver, surfaces: [durableExecutions()] });
 */
export function durableExecutions(options: DurableExecutionsOptions = {}): Surface {
  return new DurableSurface(options);
}

class DurableSurface implements Surface {
  readonly serves = [KIND];
  readonly rows = [ROW];
  readonly sample = SAMPLE;
  readonly #settings: ExecutionSettings;
  #host: SurfaceHost | undefined;
  #serving: Promise<typeof import('./internal/serve.js')> | undefined;

  constructor(options: DurableExecutionsOptions) {
    const { concurrency, maxRecords, claims, revalidateAfter, revalidate, replay, start, onFailure, client } =
      DURABLE_EXECUTIONS_OPTIONS.parse(options);
    this.#settings = {
      concurrency,
      maxRecords,
      authority: { claims, revalidate, revalidateSeconds: toSeconds(revalidateAfter, 'option "revalidateAfter"') },
      isAnew: (middleware) => replay === true || replay.includes(middleware as never),
      start,
      onFailure,
      client,
      warned: new Set(),
    };
  }

  attach(host: SurfaceHost): void {
    this.#host = host;
  }

  async serve(_kind: string, event: unknown, { lambdaContext }: Invocation): Promise<unknown> {
    const host = this.#attached();
    this.#admit(host, lambdaContext);
    // Loaded with the first execution, like the SDK.
    this.#serving ??= import('./internal/serve.js');
    const { serveExecution } = await this.#serving;
    return serveExecution(host, this.#settings, event, lambdaContext);
  }

  #attached(): SurfaceHost {
    if (this.#host) return this.#host;
    throw new FrameworkError(
      'dispatch.invalid_surface',
      'framework: pass durableExecutions() in the option "surfaces" of a container',
    );
  }

  /** @throws DurableError for an event that must not open an execution */
  #admit(host: SurfaceHost, lambdaContext: LambdaContext | undefined): void {
    try {
      if (invocationProvenance(lambdaContext) !== 'provider') {
        throw new DurableError('durable.function_not_durable', 'a direct invocation cannot continue an execution');
      }
      // In a function that is not durable, the caller wrote the event: its history is not trusted.
      if (isLambda(host.environment) && host.environment[DURABLE_ENV] !== '1') {
        throw new DurableError('durable.function_not_durable', 'function is not durable');
      }
      if ((lambdaContext as Scoped | undefined)?.['sallyport.streamed']) throw streamingRefused('a streaming handler');
    } catch (error) {
      if (isFrameworkError(error)) logRefusal(host.log, error, lambdaContext, KIND);
      throw error;
    }
  }
}
