import { ManualClock } from '@sallyport/core/testing';
import { createApp } from '@sallyport/dispatch/app';
import {
  createDurableEngine,
  type DurableEngine,
  type DurableEnvelope,
  type ExecutionSummary,
  type Operation,
} from '@sallyport/testkit/durable';
import { type Durable, type DurableExecutionsOptions, durable, durableExecutions } from '../src/index.js';

export const FUNCTION = 'arn:aws:lambda:eu-west-1:123456789012:function:orders';
export const STARTED = Date.parse('2026-11-29T10:00:00Z');

export type App = ReturnType<typeof createApp>;
type Served = Pick<App, 'handleLambda'>;

/** The results of an execution, over all its invocations. */
export interface Ran extends ExecutionSummary {
  readonly checkpoints: number;
  readonly operations: readonly Operation[];
  readonly lines: readonly Record<string, unknown>[];
  readonly records: readonly Record<string, unknown>[];
  readonly engine: DurableEngine;
}

export interface RunOptions extends DurableExecutionsOptions {
  /** Called when the execution is suspended, before its waits end. */
  readonly onSuspended?: (engine: DurableEngine, invocation: number, clock: ManualClock) => unknown;
  readonly pageSize?: number;
  /** Operations that the execution has from its start. */
  readonly recorded?: readonly Operation[];
  /** The version of the function. Default: none, which is `$LATEST`. */
  readonly version?: string;
  /** The name of the execution. */
  readonly name?: string | undefined;
  /** Called for each checkpoint before it is stored, from 1; throws to kill the process. */
  readonly onCheckpoint?: (checkpoint: number) => void;
  readonly onStart?: (engine: DurableEngine) => void;
  readonly remainingMs?: number;
  readonly container?: object;
  /** Changes the event of each invocation. */
  readonly envelope?: (envelope: DurableEnvelope, invocation: number) => object;
  /** Serves an invocation instead of the container. */
  readonly serve?: (envelope: DurableEnvelope, invocation: number) => Promise<unknown> | undefined;
  /** Default: an open container. */
  readonly create?: (options: object) => unknown;
}

/** A logger that keeps its lines. */
export function linesOf(lines: Record<string, unknown>[], bound: object = {}) {
  const write =
    (level: string) =>
    (message: string, fields: object = {}) => {
      lines.push({ level, message, ...bound, ...fields });
    };
  return {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    isEnabled: () => true,
    with: (fields: object) => linesOf(lines, { ...bound, ...fields }),
  };
}

/** Runs an execution to its end. Every invocation gets a new container, so variables of a module are not kept. */
export async function runExecution<A extends Served = App>(
  register: (app: A) => unknown,
  event: object,
  options: RunOptions = {},
): Promise<Ran> {
  const {
    name = 'run-1',
    onStart,
    onSuspended,
    pageSize,
    onCheckpoint,
    remainingMs = 60_000,
    recorded = [],
    version,
    container,
    envelope: change = (envelope) => structuredClone(envelope),
    serve,
    create = createApp,
    ...surface
  } = options;
  const clock = new ManualClock(STARTED);
  const lines: Record<string, unknown>[] = [];
  const records: Record<string, unknown>[] = [];
  let checkpoints = 0;
  const client = {
    getExecutionState: (request: never) => engine.getExecutionState(request),
    async checkpoint(request: never) {
      checkpoints += 1;
      onCheckpoint?.(checkpoints);
      return engine.checkpoint(request);
    },
  };
  const engine: DurableEngine = createDurableEngine({
    clock,
    ...(pageSize !== undefined && { pageSize }),
    async invoke({ event: envelope, invocation }) {
      const other = serve?.(envelope, invocation);
      if (other) return { answer: await other };
      const app = create({
        clock,
        log: linesOf(lines),
        observability: { log: (record: Record<string, unknown>) => void records.push(record) },
        surfaces: [durableExecutions({ client, ...surface })],
        ...container,
      });
      register(app as A);
      const answer = (app as A).handleLambda(change(envelope, invocation), {
        awsRequestId: `invocation-${invocation}`,
        functionName: 'orders',
        invokedFunctionArn: `${FUNCTION}:live`,
        getRemainingTimeInMillis: () => remainingMs,
      });
      return { answer: await answer };
    },
  });
  onStart?.(engine);
  const { arn } = engine.start({
    functionArn: version === undefined ? FUNCTION : `${FUNCTION}:${version}`,
    name,
    recorded,
    payload: JSON.stringify(event),
    timeoutSeconds: 31_622_400,
  });
  for (let round = 0; round < 100; round += 1) {
    await engine.settle();
    const summary = engine.describe(arn);
    if (summary.status !== 'RUNNING') {
      return { ...summary, checkpoints, operations: engine.operations(arn), lines, records, engine };
    }
    const before = endedIn(engine, arn);
    await onSuspended?.(engine, summary.invocations, clock);
    await engine.settle();
    // An operation has ended: the execution continues, before anything else times out.
    if (endedIn(engine, arn) > before) continue;
    const ends = engine
      .pending()
      .flatMap(({ kind, until }) => (kind === 'callback' || !until ? [] : [until.getTime()]));
    // Waits that end at the same time end together, as for the service.
    await clock.advance(Math.max(0, Math.min(...ends, Number.MAX_SAFE_INTEGER) - clock.now().getTime()));
    if (ends.length === 0) engine.skip();
  }
  throw new Error('the execution did not end in 100 rounds');
}

const endedIn = (engine: DurableEngine, arn: string) =>
  engine.operations(arn).filter(({ Status }) => Status !== 'STARTED' && Status !== 'PENDING').length;

/** Runs one durable handler of the source `shop`. */
export const runHandler = (handler: (ctx: Durable) => unknown, event: object, options?: RunOptions): Promise<Ran> =>
  runExecution(
    (app) =>
      app.eventBus(
        { source: 'shop' },
        durable((ctx) => handler(ctx)),
      ),
    event,
    options,
  );
