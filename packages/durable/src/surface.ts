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
import { EXECUTION_SCOPE, logRefusal, type Members, provideCurrentScope, stringOf } from '@sallyport/core/internal';
import { DurableError } from './errors.js';
import type { Authority, RecordedCaller } from './internal/caller.js';
import { assertWhole, toSeconds } from './internal/checks.js';
import { currentOwner } from './internal/current.js';
import { assertInput, isEnvelope } from './internal/envelope.js';
import { ExecutionRun } from './internal/execution.js';
import { messageOf } from './internal/failures.js';
import type { StartRecord } from './internal/handoff.js';
import { ROOT } from './internal/history.js';
import { Lane } from './internal/lane.js';
import { type DurableContext, type DurableExecutionClient, loadSdk } from './internal/sdk.js';
import type { Duration } from './types.js';

/** Options of `durableExecutions`. */
export interface DurableExecutionsOptions {
  /** The number of records of a standard queue that run at the same time, if the registration does not say. Default 10. */
  readonly concurrency?: number;
  /** The largest number of records of a batch that waits for its records. Default 100. */
  readonly maxRecords?: number;
  /** The names of the caller's claims that are recorded with its identity, scopes, kind and tenant. Default: none. */
  readonly claims?: readonly string[];
  /**
   * Decides after a long wait whether the caller may still act: `false` ends the execution with 401. Its decision is recorded. Default: the
   * caller is checked at the start only.
   */
  readonly revalidate?: (caller: RecordedCaller, ctx: object) => MaybePromise<boolean>;
  /** The wait after which `revalidate` runs. Default: one hour. */
  readonly revalidateAfter?: Duration;
  /**
   * Starts an execution: `beginExecution` of `@sallyport/durable/start`. With it, each message of a standard queue has its own execution, and
   * the batch is answered at once. Default: a batch waits for its messages.
   */
  readonly start?: StartRecord;
  /** The transport of the SDK, for tests. Default: the Lambda API. */
  readonly client?: ExecutionClient;
}

/** The two calls of the SDK to the service: a `DurableExecutionClient` of `@aws/durable-execution-sdk-js`. */
export interface ExecutionClient {
  /** Reads a further page of the history. */
  getExecutionState(request: never, logger?: never): Promise<object>;
  /** Records operations. */
  checkpoint(request: never, logger?: never): Promise<object>;
}

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

const SAMPLE = {
  DurableExecutionArn: 'arn:aws:lambda:eu-central-1:123456789012:function:orders:1/durable-execution/order-1/0',
  CheckpointToken: 'token',
  InitialExecutionState: { Operations: [{ Id: '0', Type: 'EXECUTION', ExecutionDetails: { InputPayload: '{}' } }] },
};

/**
 * Serves the executions of a durable function: the event inside an execution goes through the other surfaces of the container, as if its
 * trigger had invoked the function. Pass it in the option `surfaces`.
 *
 * @throws DurableError `durable.invalid_operation` for an invalid option
 * @example const app = new SecureApp({ principalResolver, surfaces: [durableExecutions()] });
 */
export function durableExecutions(options: DurableExecutionsOptions = {}): Surface {
  return new DurableSurface(options);
}

class DurableSurface implements Surface {
  readonly serves = [KIND];
  readonly rows = [ROW];
  readonly sample = SAMPLE;
  readonly #concurrency: number;
  readonly #maxRecords: number;
  readonly #authority: Authority;
  readonly #start: StartRecord | undefined;
  readonly #client: ExecutionClient | undefined;
  #host: SurfaceHost | undefined;

  constructor(options: DurableExecutionsOptions) {
    const { concurrency = 10, maxRecords = 100, claims = [], revalidateAfter = { hours: 1 }, revalidate, start, client } = options;
    this.#concurrency = assertWhole(concurrency, 1, 1000, 'option "concurrency"');
    this.#maxRecords = assertWhole(maxRecords, 1, 10_000, 'option "maxRecords"');
    this.#authority = { claims, revalidate, revalidateSeconds: toSeconds(revalidateAfter, 'option "revalidateAfter"') };
    this.#start = start;
    this.#client = client;
  }

  attach(host: SurfaceHost): void {
    this.#host = host;
  }

  async serve(_kind: string, event: unknown, { lambdaContext }: Invocation): Promise<unknown> {
    const host = this.#attached();
    const envelope = this.#parse(host, event, lambdaContext);
    const sdk = await loadSdk();
    provideCurrentScope(currentLane);
    const settings = { clock: host.clock, ids: host.ids, concurrency: this.#concurrency, maxRecords: this.#maxRecords, authority: this.#authority, start: this.#start };
    const run = new ExecutionRun(settings, sdk, stringOf(envelope.DurableExecutionArn), lambdaContext);
    let isAnswered = false;
    const handler = sdk.withDurableExecution(
      async (input: unknown, context: DurableContext) => {
        try {
          return await this.#dispatch(host, run, input, context);
        } catch (thrown) {
          throw toOutput(host, thrown);
        } finally {
          isAnswered = true;
        }
      },
      {
        ...(this.#client && { durableExecutionClient: this.#client as unknown as DurableExecutionClient }),
        plugins: [
          {
            onInvocationStart: async ({ operations, executionStartTimestamp }) =>
              run.begin(operations, executionStartTimestamp),
          },
        ],
      },
    );
    try {
      const output = await handler(envelope as never, sdkContext(lambdaContext) as never);
      if (!isAnswered && output.Status === 'FAILED') {
        const text = stringOf(output.Error?.ErrorMessage);
        host.log.error('framework: execution failed', { execution: run.arn, error: text });
      }
      return output;
    } finally {
      await run.end(isAnswered);
    }
  }

  #attached(): SurfaceHost {
    if (this.#host) return this.#host;
    throw new FrameworkError(
      'dispatch.invalid_surface',
      'framework: pass durableExecutions() in the option "surfaces" of a container',
    );
  }

  /** @throws DurableError for an event that must not open an execution */
  #parse(host: SurfaceHost, event: unknown, lambdaContext: LambdaContext | undefined): Members {
    try {
      if (invocationProvenance(lambdaContext) !== 'provider') {
        throw new DurableError('durable.function_not_durable', 'a direct invocation cannot continue an execution');
      }
      // In a function that is not durable, the caller wrote the event: its history would be believed.
      if (isLambda(host.environment) && host.environment[DURABLE_ENV] !== '1') {
        throw new DurableError('durable.function_not_durable', 'function is not durable');
      }
      if (!isEnvelope(event)) throw new DurableError('durable.envelope_invalid', 'the event is not an execution');
      assertInput(event);
      return event;
    } catch (error) {
      if (isFrameworkError(error)) logRefusal(host.log, error, lambdaContext, KIND);
      throw error;
    }
  }

  async #dispatch(host: SurfaceHost, run: ExecutionRun, input: unknown, context: DurableContext): Promise<unknown> {
    if (isEnvelope(input)) throw new DurableError('durable.nested', 'the event of an execution is an execution');
    const root = new Lane(run, context, run.parking.open(), ROOT);
    const lambdaContext = {
      ...run.lambdaContext,
      // Equal in every invocation of the execution.
      awsRequestId: run.id,
      executionContext: { durableExecutionArn: run.arn },
      getRemainingTimeInMillis: () => run.lambdaContext?.getRemainingTimeInMillis?.() ?? Number.NaN,
      [EXECUTION_SCOPE]: root,
    };
    return host.dispatch(input, { lambdaContext });
  }
}

/** The flow that runs now, if it may suspend. */
function currentLane(): Lane | undefined {
  const owner = currentOwner();
  return owner instanceof Lane ? owner : undefined;
}

/** The members of a Lambda context that the SDK reads, also for a local run without one. */
function sdkContext(lambdaContext: LambdaContext | undefined): object {
  return {
    ...lambdaContext,
    getRemainingTimeInMillis: () => lambdaContext?.getRemainingTimeInMillis?.() ?? Number.POSITIVE_INFINITY,
  };
}

/** The error of a failed execution: callers and operators of the account can read it. */
function toOutput({ maskErrors, failureText }: SurfaceHost, thrown: unknown): Error {
  if (maskErrors && !isFrameworkError(thrown)) return new Error(failureText);
  const error = new Error(messageOf(thrown));
  if (isFrameworkError(thrown)) error.name = thrown.code;
  return error;
}
