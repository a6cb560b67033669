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

/** A Lambda handler of a peer. Events are not checked here: each peer reads them in its own way. */
export type Invoke = (event: never, context: BenchContext) => unknown;

export const WORKLOADS = [
  'get-v2',
  'get-v1',
  'get-alb',
  'get-url',
  'middleware',
  'post-v2',
  'post-v1',
  'upload',
  'download',
  'not-found',
  'thrown',
  'sqs',
  'kinesis',
  'graphql',
  'routes-1000',
] as const;

export type WorkloadName = (typeof WORKLOADS)[number];

/** The export of a peer's module: a function that makes the handler, for each workload that the peer supports. */
export type Handlers = Partial<Record<WorkloadName, () => Invoke | Promise<Invoke>>>;

/** The handlers of a peer whose one application serves every HTTP workload. */
export function httpHandlers(
  create: (options: { readonly routes: number; readonly steps: boolean }) => Invoke | Promise<Invoke>,
): Handlers {
  const plain = () => create({ routes: 100, steps: false });
  return {
    'get-v2': plain,
    'get-v1': plain,
    'get-alb': plain,
    'get-url': plain,
    middleware: () => create({ routes: 100, steps: true }),
    'post-v2': plain,
    'post-v1': plain,
    upload: plain,
    download: plain,
    'not-found': plain,
    thrown: plain,
  };
}
