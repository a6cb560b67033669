import { STEPS } from './application.js';

/** The Lambda context that is passed with the event. */
export interface BenchContext {
  readonly awsRequestId: string;
  readonly functionName: string;
  readonly functionVersion: string;
  readonly invokedFunctionArn: string;
  readonly memoryLimitInMB: string;
  readonly logGroupName: string;
  readonly logStreamName: string;
  callbackWaitsForEmptyEventLoop: boolean;
  getRemainingTimeInMillis(): number;
}

/** A Lambda handler of a peer. Events are not checked here: each peer reads them differently. */
export type Invoke = (event: never, context: BenchContext) => unknown;

export const WORKLOADS = [
  'get-v2',
  'get-v1',
  'get-alb',
  'get-url',
  'reads',
  'middleware',
  'middleware-set',
  'post-v2',
  'post-v1',
  'upload',
  'download',
  'not-found',
  'thrown',
  'sqs',
  'kinesis',
  'graphql',
  'graphql-gate',
  'secure',
  'secure-new',
  'routes-1000',
  'spans-off',
  'spans',
  'durable',
  'durable-memory',
  'durable-replay',
] as const;

export type WorkloadName = (typeof WORKLOADS)[number];

/** The export of a peer's module: a function that makes the handler, for each workload that the peer supports. */
export type Handlers = Partial<Record<WorkloadName, () => Invoke | Promise<Invoke>>>;

/** The differences between the applications of the HTTP workloads. */
export interface HttpOptions {
  readonly routes: number;
  /** A middleware for each, which adds this header to the answer. */
  readonly steps: readonly string[];
  /** True if each middleware also stores a value for the handler. */
  readonly stores: boolean;
}

/** The handlers of a peer whose one application serves every HTTP workload. */
export function httpHandlers(create: (options: HttpOptions) => Invoke | Promise<Invoke>): Handlers {
  const plain = () => create({ routes: 100, steps: [], stores: false });
  return {
    'get-v2': plain,
    'get-v1': plain,
    'get-alb': plain,
    'get-url': plain,
    reads: plain,
    middleware: () => create({ routes: 100, steps: STEPS, stores: false }),
    'middleware-set': () => create({ routes: 100, steps: STEPS, stores: true }),
    'post-v2': plain,
    'post-v1': plain,
    upload: plain,
    download: plain,
    'not-found': plain,
    thrown: plain,
  };
}
