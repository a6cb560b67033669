import type { Json, JsonObject, Named } from '@sallyport/contract';
import { durable } from '@sallyport/durable';
import type { EventHandler, EventMiddleware } from '@sallyport/streams';
import { failAs } from '../failure.js';
import { streamsFunction } from '../functions/streams.js';
import { Unsupported } from '../unsupported.js';
import { showEvent } from '../views.js';
import type { World } from '../world.js';
import { readNamed, thenOf } from './named.js';
import { waitFor } from './wait.js';

type Make = (parameters: JsonObject, world: World) => EventHandler<unknown>;

/** Handlers of queue, stream, topic and event-bus registrations. */
const HANDLERS: Readonly<Record<string, Make>> = {
  reply:
    ({ json }) =>
    () =>
      json,
  accept: () => () => {},
  show:
    ({ pick }, world) =>
    (ctx) => {
      const shown = showEvent(ctx, pick as string[]);
      world.calls.push({ show: shown as JsonObject });
      return shown;
    },
  fail: (parameters) => () => failAs(parameters),
  reject_if: (parameters) => (_ctx, record) => {
    const { path, value, failure, ...rest } = parameters;
    if (valueAt(record, String(path)) === value) failAs({ kind: 'plain', ...rest, value: failure ?? null });
  },
  wait: (parameters, world) => async (ctx, event) => {
    await waitFor(parameters, ctx.signal, world);
    return eventHandler(thenOf(parameters), world)(ctx, event);
  },
  tick: (parameters, world) => (ctx, event) => {
    world.env.clock.tick(Number(parameters.ms));
    return eventHandler(thenOf(parameters), world)(ctx, event);
  },
  nth: ({ handlers }, world) => {
    const list = (handlers as Named[]).map((named) => eventHandler(named, world));
    let calls = 0;
    return (ctx, event) => {
      const handler = list[Math.min(calls, list.length - 1)];
      calls += 1;
      return handler?.(ctx, event);
    };
  },
  count: (parameters, world) => (ctx, event) => {
    world.calls.push({ handler: String(parameters.name) });
    return eventHandler(thenOf(parameters), world)(ctx, event);
  },
  durable: (parameters, world) => durable((ctx, event) => eventHandler(thenOf(parameters), world)(ctx, event)),
  envelope:
    ({ require }) =>
    async (ctx, event) =>
      streamsFunction(require === true ? 'requireEventBusEnvelope' : 'eventBusEnvelope', event, ctx),
  schedule:
    ({ result }) =>
    async (ctx, event) =>
      streamsFunction('scheduledSummary', event, ctx, result),
  summary: (_parameters, world) => async (_ctx, record) => {
    world.calls.push({ summary: (await streamsFunction('tableStreamSummary', record)) as Json });
  },
  log_lines: (_parameters, world) => async (_ctx, record) => {
    const decoded = (await streamsFunction('decodeCloudWatchLogsSubscription', record)) as { safe_summary: Json };
    world.calls.push({ safe_summary: decoded.safe_summary });
  },
  write_log:
    ({ level, message, fields }) =>
    (ctx) => {
      ctx.log[(level ?? 'info') as 'info'](String(message), fields as Record<string, unknown> | undefined);
    },
};

/** The value at a path of names joined by dots; `json.` continues inside the record's JSON body. */
function valueAt(record: unknown, path: string): unknown {
  let value: unknown = record;
  for (const name of path.split('.')) {
    value = name === 'json' ? jsonBodyOf(value) : (value as Record<string, unknown> | undefined)?.[name];
  }
  return value;
}

function jsonBodyOf(record: unknown): unknown {
  const { body, kinesis, Sns } = record as {
    body?: string;
    kinesis?: { data: string };
    Sns?: { Message: string };
  };
  return JSON.parse(body ?? Sns?.Message ?? Buffer.from(kinesis?.data ?? '', 'base64').toString());
}

export function eventHandler(named: Named, world: World): EventHandler<unknown> {
  const read = readNamed(named);
  if (!read) return undefined as unknown as EventHandler<unknown>;
  const make = HANDLERS[read.use];
  if (!make) throw new Unsupported(`no event handler ${read.use}`);
  return make(read.parameters, world);
}

const MIDDLEWARES: Readonly<Record<string, (parameters: JsonObject, world: World) => EventMiddleware>> = {
  mark:
    ({ name, bag }, world) =>
    async (ctx, _event, next) => {
      for (const [key, value] of Object.entries((bag ?? {}) as JsonObject)) ctx.set(key, value);
      const trail = (ctx.get('trail') as unknown[] | undefined) ?? [];
      ctx.set('trail', [...trail, name]);
      const result = await next();
      world.calls.push({ left: String(name) });
      return result;
    },
  halt:
    ({ json }) =>
    () =>
      json,
  twice: () => async (_ctx, _event, next) => {
    await next();
    return next();
  },
  count:
    ({ name }, world) =>
    (_ctx, _event, next) => {
      world.calls.push({ middleware: String(name) });
      return next();
    },
};

export function eventMiddleware(named: Named, world: World): EventMiddleware {
  const read = readNamed(named);
  if (!read) return undefined as unknown as EventMiddleware;
  const make = MIDDLEWARES[read.use];
  if (!make) throw new Unsupported(`no event middleware ${read.use}`);
  return make(read.parameters, world);
}

export const EVENT_HANDLER_NAMES = Object.keys(HANDLERS);
