import type { JsonObject, Named } from '@sallyport/contract';
import type { Context, Form, Handler, Middleware, MultiMap, ResponseInput, Result } from '@sallyport/core';
import { durable } from '@sallyport/durable';
import type { RateLimiter } from '@sallyport/ratelimit';
import { camelOptions } from '../casing.js';
import { failAs } from '../failure.js';
import { Unsupported } from '../unsupported.js';
import { showRequest } from '../views.js';
import type { World } from '../world.js';
import { readNamed, thenOf } from './named.js';
import { streamed } from './stream.js';
import { waitFor } from './wait.js';

type Make = (parameters: JsonObject, world: World) => Handler;

const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' };
const TEXT_TYPE = { 'content-type': 'text/plain; charset=utf-8' };

/** Handlers of HTTP, GraphQL and WebSocket registrations. */
const HANDLERS: Readonly<Record<string, Make>> = {
  reply: (parameters) => () => reply(parameters),
  show:
    ({ pick }) =>
    (ctx) =>
      jsonReply(showRequest(ctx, pick as string[])),
  read_json: () => (ctx) => jsonReply(ctx.bodyJson()),
  read_form: (limits) => async (ctx) => jsonReply(showForm(await ctx.bodyForm(camelOptions(limits)))),
  stream: (parameters) => () => streamed(parameters),
  fail: (parameters) => () => failAs(parameters),
  wait: (parameters, world) => async (ctx) => {
    await waitFor(parameters, ctx.signal, world);
    return requestHandler(thenOf(parameters), world)(ctx);
  },
  tick: (parameters, world) => (ctx) => {
    world.env.clock.tick(Number(parameters.ms));
    return requestHandler(thenOf(parameters), world)(ctx);
  },
  nth: ({ handlers }, world) => {
    const list = (handlers as Named[]).map((named) => requestHandler(named, world));
    let calls = 0;
    return (ctx) => {
      const handler = list[Math.min(calls, list.length - 1)];
      calls += 1;
      return (handler as Handler)(ctx);
    };
  },
  count: (parameters, world) => (ctx) => {
    world.calls.push({ handler: String(parameters.name) });
    return requestHandler(thenOf(parameters), world)(ctx);
  },
  durable: (parameters, world) => durable((ctx) => requestHandler(thenOf(parameters), world)(ctx)),
  alter:
    ({ what }, world) =>
    (ctx) =>
      jsonReply(ALTER[String(what)]?.(ctx, world) ?? null),
  send: (parameters, world) => async (ctx) => {
    const { text, json } = parameters;
    if (json !== undefined) await ctx.asWebSocket()?.sendJSONMessage(json);
    else await ctx.asWebSocket()?.sendMessage(String(text ?? ''));
    return requestHandler(thenOf(parameters), world)(ctx);
  },
  write_log:
    ({ level, message, fields }) =>
    (ctx) => {
      ctx.log[(level ?? 'info') as 'info'](String(message), fields as Record<string, unknown> | undefined);
      return reply({});
    },
};

/** Changes the objects that the framework returned, then shows what the framework returns now. */
const ALTER: Readonly<Record<string, (ctx: Context, world: World) => unknown>> = {
  principal: (ctx) => {
    spoil(ctx.securePrincipal());
    return showRequest(ctx, ['principal']).principal;
  },
  headers: (ctx) => {
    spoil(ctx.sourceProvenance());
    return showRequest(ctx, ['provenance']).provenance;
  },
  routes: (_ctx, world) => {
    const { routes } = world.app as { routes(): object[] };
    spoil(routes.call(world.app));
    return routes.call(world.app).length;
  },
};

function spoil(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  for (const key of Object.keys(value)) {
    spoil((value as Record<string, unknown>)[key]);
    Reflect.set(value, key, 'spoilt');
  }
}

/** The function that a fixture names. */
export function requestHandler(named: Named, world: World): Handler {
  const read = readNamed(named);
  // Registration without a function is what such a fixture is about.
  if (!read) return undefined as unknown as Handler;
  const make = HANDLERS[read.use];
  if (!make) throw new Unsupported(`no request handler ${read.use}`);
  return make(read.parameters, world);
}

function reply({ status, json, text, base64, headers, cookies }: JsonObject): ResponseInput {
  const type = json !== undefined ? JSON_TYPE : text !== undefined ? TEXT_TYPE : {};
  return {
    status: (status ?? 200) as number,
    headers: { ...type, ...(headers as Record<string, string> | undefined) },
    cookies: (cookies ?? []) as string[],
    ...(json !== undefined && { body: JSON.stringify(json) }),
    ...(text !== undefined && { body: String(text) }),
    ...(base64 !== undefined && { body: Buffer.from(String(base64), 'base64'), isBase64: true }),
  };
}

function showForm({ fields, files }: Form): unknown {
  const shown = Object.entries(files).map(([field, list]) => [
    field,
    list.map(({ name, type, bytes }) => ({ name, type, base64: Buffer.from(bytes).toString('base64') })),
  ]);
  return { fields, files: Object.fromEntries(shown) };
}

function jsonReply(value: unknown): ResponseInput {
  return { status: 200, headers: JSON_TYPE, body: JSON.stringify(value ?? null) };
}

const MIDDLEWARES: Readonly<
  Record<string, (parameters: JsonObject, world: World) => Promise<Middleware> | Middleware>
> = {
  mark:
    ({ name, header, bag }) =>
    async (ctx, next) => {
      for (const [key, value] of Object.entries((bag ?? {}) as JsonObject)) ctx.set(key, value);
      const trail = (ctx.get('trail') as unknown[] | undefined) ?? [];
      ctx.set('trail', [...trail, name]);
      const response = await next(ctx);
      ctx.set('trail', [...((ctx.get('trail') as unknown[]) ?? []), name]);
      if (header !== undefined) append(response.headers, String(header), String(name));
      return response;
    },
  halt: (parameters) => () => reply(parameters),
  deadline: async ({ ms, message, tenants, operations }) => {
    const { timeoutMiddleware } = await import('@sallyport/http');
    return timeoutMiddleware({
      defaultTimeoutMs: Number(ms),
      ...(message !== undefined && { timeoutMessage: String(message) }),
      ...(tenants !== undefined && { tenantTimeoutsMs: tenants as Record<string, number> }),
      ...(operations !== undefined && { operationTimeoutsMs: operations as Record<string, number> }),
    });
  },
  quota: async ({ limit, own }, world) => {
    const [{ fixedWindow, rateLimitMiddleware }, { createMemoryRateLimiter }] = await Promise.all([
      import('@sallyport/ratelimit'),
      import('@sallyport/ratelimit'),
    ]);
    const strategy = fixedWindow({ limit: Number(limit), windowMs: 60_000 });
    const limiter = createMemoryRateLimiter({ strategy, clock: world.env.clock });
    const counted: RateLimiter = {
      ...limiter,
      consume: (key, options) => {
        world.calls.push({ quota: { ...key } });
        return limiter.consume(key, options);
      },
    };
    return rateLimitMiddleware({
      limiter: counted,
      ...(own !== undefined && { extractIdentifier: () => String(own) }),
    });
  },
  twice: () => async (ctx, next) => {
    await next(ctx);
    return next(ctx);
  },
  count:
    ({ name }, world) =>
    (ctx, next): Result => {
      world.calls.push({ middleware: String(name) });
      return next(ctx);
    },
};

function append(headers: MultiMap, name: string, value: string): void {
  headers[name] = [...(headers[name] ?? []), value];
}

export async function requestMiddleware(named: Named, world: World): Promise<Middleware> {
  const read = readNamed(named);
  if (!read) return undefined as unknown as Middleware;
  const make = MIDDLEWARES[read.use];
  if (!make) throw new Unsupported(`no middleware ${read.use}`);
  return make(read.parameters, world);
}

export const REQUEST_HANDLER_NAMES = Object.keys(HANDLERS);
