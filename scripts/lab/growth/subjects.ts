// Measurements against a size: for each dimension a function that prepares one size and returns one call.
import { createApp } from '../../../packages/dispatch/src/app.js';
import { json } from '../../../packages/http/src/index.js';
import { boom, type Job, registerAll, runJob, showResource } from '../../bench/application.js';
import { gatewayV2Event, queueEvent } from '../../bench/events.js';
import type { BenchContext, Invoke } from '../../bench/invoke.js';
import { handlers as bareHandlers } from '../../bench/peers/bare.js';
import type { Dimension } from './protocol.js';

const CONTEXT: BenchContext = {
  awsRequestId: 'c6af9ac6-7b61-11e6-9a41-93e8deadbeef',
  functionName: 'bench',
  functionVersion: '$LATEST',
  invokedFunctionArn: 'arn:aws:lambda:eu-west-1:123456789012:function:bench',
  memoryLimitInMB: '1024',
  logGroupName: '/aws/lambda/bench',
  logStreamName: '2026/11/21/[$LATEST]0123456789abcdef',
  callbackWaitsForEmptyEventLoop: true,
  getRemainingTimeInMillis: () => 29_000,
};

/** A part of a dimension that is a line in the plot. */
export interface Subject {
  readonly name: string;
  readonly sizes: readonly number[];
  /** True if it measures only the engine for the same work. Default false. */
  readonly isEngine?: boolean;
  /** Prepares one size; the result is called once for each measured value. */
  prepare(size: number): () => unknown;
}

const steps = (from: number, to: number): number[] => {
  const sizes = [];
  for (let size = from; size <= to; size *= 10) sizes.push(size, ...(size * 3 <= to ? [size * 3] : []));
  return sizes;
};

/**
 * Four sizes for each doubling, down from the largest. A hash table doubles when it is full, so the allocation per member is
 * a sawtooth; sizes at only a few distances after a doubling would measure those distances.
 */
const doublings = (from: number, to: number): number[] => {
  const sizes = [];
  for (let size = to; size >= from; size /= 2 ** 0.25) sizes.unshift(Math.round(size));
  return sizes;
};

function createRouted(routes: number): Invoke {
  const app = createApp({ log: false });
  registerAll(
    routes,
    ({ method, pattern, resource }) => app.handle(method, pattern, () => json(200, showResource(resource))),
    () => app.get('/users/{id}', (ctx) => json(200, { id: ctx.param('id') })),
  );
  return app.handleLambda as Invoke;
}

const MOST_ROUTES = 10_000;

/**
 * Registers an application in each call and keeps as many of them as have 10,000 routes together. A function keeps its routes too,
 * so the garbage collector has to copy each application; the heap has the same size for every number of routes.
 */
function registerAndKeep(routes: number): () => unknown {
  const kept: Invoke[] = [];
  const most = Math.floor(MOST_ROUTES / routes);
  let calls = 0;
  return () => {
    kept[calls++ % most] = createRouted(routes);
  };
}

/** A call with a separate copy of an event. */
function caller(invoke: Invoke, event: object): () => unknown {
  return () => invoke({ ...event } as never, CONTEXT);
}

function createQueue(records: number): () => unknown {
  const app = createApp({ log: false });
  app.queue('jobs', (_ctx, { body }) => runJob(JSON.parse(body ?? '') as Job));
  return caller(app.handleLambda as Invoke, queueEvent(records, []));
}

/** Calls that all wait for each other: the last call releases them. */
function createConcurrent(calls: number): () => unknown {
  let waiting: (() => void)[] = [];
  const app = createApp({ log: false });
  app.get('/users/{id}', async (ctx) => {
    await new Promise<void>((resolve) => {
      waiting.push(resolve);
      if (waiting.length < calls) return;
      for (const go of waiting) go();
      waiting = [];
    });
    return json(200, { id: ctx.param('id') });
  });
  const call = caller(app.handleLambda as Invoke, gatewayV2Event({ method: 'GET', path: '/users/42' }));
  return () => Promise.all(Array.from({ length: calls }, call));
}

/** The handler reads all headers, which is the most that it can cost. */
function createHeaders(count: number): () => unknown {
  const app = createApp({ log: false });
  app.get('/users/{id}', (ctx) => json(200, { headers: Object.keys(ctx.request.headers).length }));
  const headers = Object.fromEntries(
    Array.from({ length: count }, (_, index) => [`x-header-${index}`, `value of header ${index}`]),
  );
  const event = gatewayV2Event({ method: 'GET', path: '/users/42' });
  return caller(app.handleLambda as Invoke, { ...event, cookies: [], headers });
}

function createJson(bytes: number): () => unknown {
  const app = createApp({ log: false });
  app.post('/orders', (ctx) => json(200, { lines: ctx.bodyJson<{ lines: unknown[] }>().lines.length }));
  const body = jsonOf(bytes);
  return caller(app.handleLambda as Invoke, gatewayV2Event({ method: 'POST', path: '/orders', body }));
}

function createParse(bytes: number): () => unknown {
  const body = jsonOf(bytes);
  return () => (JSON.parse(body) as { lines: unknown[] }).lines.length;
}

function jsonOf(bytes: number): string {
  const line = { sku: 'SKU-000001', quantity: 3, price: 199, note: 'gift wrap' };
  const lines = Math.floor((bytes - 12) / (JSON.stringify(line).length + 1));
  return JSON.stringify({ lines: Array.from({ length: lines }, () => line) });
}

/** Bytes. The last size is Lambda's limit: 6 MB with the rest of the event. */
const JSON_SIZES = [1, 4, 16, 64, 256, 1024, 2048, 4096, 6140].map((kibibytes) => kibibytes * 1024);

export const SUBJECTS: Readonly<Record<Dimension, readonly Subject[]>> = {
  registering: [{ name: 'all routes', sizes: steps(10, MOST_ROUTES), prepare: registerAndKeep }],
  matching: [
    {
      name: 'one GET',
      sizes: steps(10, MOST_ROUTES),
      prepare: (size) => caller(createRouted(size), gatewayV2Event({ method: 'GET', path: '/users/42' })),
    },
  ],
  records: [{ name: 'one batch', sizes: steps(1, 10_000), prepare: createQueue }],
  concurrent: [{ name: 'all calls', sizes: [1, 2, 5, 10, 20, 50, 100, 200], prepare: createConcurrent }],
  headers: [{ name: 'one GET', sizes: doublings(8, 200), prepare: createHeaders }],
  json: [
    { name: 'one POST', sizes: JSON_SIZES, prepare: createJson },
    { name: 'JSON.parse', sizes: JSON_SIZES, isEngine: true, prepare: createParse },
  ],
};

/** One call of each kind in turn, for resident memory. */
export function createMixed(): () => Promise<void> {
  const app = createApp({ log: false });
  registerAll(
    100,
    ({ method, pattern, resource }) => app.handle(method, pattern, () => json(200, showResource(resource))),
    () => {
      app.get('/users/{id}', (ctx) => json(200, { id: ctx.param('id'), page: ctx.query('page') }));
      app.post('/orders', (ctx) => json(201, ctx.bodyJson()));
      app.get('/boom', boom);
    },
  );
  app.use(async (ctx, next) => {
    ctx.set('started', ctx.now());
    return next(ctx);
  });
  app.queue('jobs', (_ctx, { body }) => runJob(JSON.parse(body ?? '') as Job));
  return mixedCalls(app.handleLambda as Invoke, app.handleLambda as Invoke);
}

/** The same calls of the hand-written handlers: the cost of the engine itself. */
export async function createMixedBare(): Promise<() => Promise<void>> {
  const { 'get-v2': http, sqs } = bareHandlers;
  if (!http || !sqs) throw new Error('bare has no handlers');
  return mixedCalls(await http(), await sqs());
}

function mixedCalls(http: Invoke, queue: Invoke): () => Promise<void> {
  const body = JSON.stringify({ lines: Array.from({ length: 20 }, () => ({ quantity: 1, price: 2 })) });
  const events = [
    gatewayV2Event({ method: 'GET', path: '/users/42' }),
    gatewayV2Event({ method: 'POST', path: '/orders', body }),
    gatewayV2Event({ method: 'GET', path: '/nowhere' }),
    gatewayV2Event({ method: 'GET', path: '/boom' }),
    queueEvent(10, [3]),
  ];
  let calls = 0;
  return async () => {
    calls++;
    const kind = calls % events.length;
    const event = { ...events[kind] } as Record<string, unknown>;
    // Paths, like ids, differ in every request, so no cache can serve them.
    if (kind === 0) event.rawPath = `/users/${calls}`;
    await (kind === events.length - 1 ? queue : http)(event as never, CONTEXT);
  };
}
