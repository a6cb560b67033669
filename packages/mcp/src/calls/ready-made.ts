import type { Logger } from '@sallyport/core';
import { callerKey, guardHook } from '@sallyport/core/internal';
import { defineOptions, integer, list, oneOf, text, withMethods } from '@sallyport/core/options';
import { RPC } from '../protocol/internal/protocol.js';
import { runOf } from '../run/internal/handler-context.js';
import { McpToolError, RpcError } from '../server/errors.js';
import type { CallEnd, McpCall, OnCall } from './call.js';

/** Options of {@link logCalls}; an unknown key is rejected. */
export interface LogCallsOptions {
  /** Level of the records. Default `info`. */
  readonly level?: 'debug' | 'info' | 'warn';
  /** The logger. Default: the logger of the request. */
  readonly log?: Logger;
}

const LOG = defineOptions<LogCallsOptions>()({
  level: oneOf('debug', 'info', 'warn').default('info'),
  log: withMethods<Logger>('debug', 'info', 'warn', 'error'),
});

/**
 * Writes one record `mcp.call` for each call: caller, target, a digest of the arguments, outcome and duration. A call with
 * questions writes one record for each round.
 *
 * @throws FrameworkError `app.invalid_configuration` for a wrong option
 *
 * @example createMcpServer({ name: 'notes', version: '1.0.0', onCall: logCalls() });
 */
export function logCalls(options: LogCallsOptions = {}): OnCall {
  const { level, log } = LOG.parse(options);
  return async (call, next) => {
    const end = await next();
    guardHook(() => (log ?? call.ctx.http.log)[level]('mcp.call', recordOf(call, end)));
  };
}

function recordOf(call: McpCall, { outcome, durationMs }: CallEnd): Readonly<Record<string, unknown>> {
  const { kind, name, method, principal, tenantId, argsDigest, round, ctx } = call;
  return {
    ...{ kind, name, method, outcome, round },
    duration_ms: durationMs,
    args_digest: argsDigest,
    principal: principal === null ? null : principal.identity,
    tenant: tenantId,
    rpc_id: ctx.requestId,
    session: ctx.sessionId ?? null,
  };
}

/** Options of {@link measureCalls}; an unknown key is rejected. */
export interface MeasureCallsOptions {
  /** Name of the metric that counts calls. Default `mcp.calls`. */
  readonly count?: string;
  /** Name of the metric of the duration in milliseconds. Default `mcp.call_duration`. */
  readonly duration?: string;
}

const MEASURE = defineOptions<MeasureCallsOptions>()({
  count: text('the name of a metric').default('mcp.calls'),
  duration: text('the name of a metric').default('mcp.call_duration'),
});

/**
 * Counts calls and measures their duration, with the tags `kind`, `target` and `outcome`. The container must declare both
 * metrics with these tags: metrics that are not declared are dropped.
 *
 * @throws FrameworkError `app.invalid_configuration` for a wrong option
 *
 * @example createMcpServer({ name: 'notes', version: '1.0.0', onCall: measureCalls() });
 */
export function measureCalls(options: MeasureCallsOptions = {}): OnCall {
  const { count, duration } = MEASURE.parse(options);
  return async ({ kind, target, ctx }, next) => {
    const { outcome, durationMs } = await next();
    const tags = { kind, target, outcome };
    guardHook(() => {
      ctx.http.metric(count, 1, { tags });
      ctx.http.metric(duration, durationMs, { tags, unit: 'Milliseconds' });
    });
  };
}

/** A limiter for {@link limitCalls}, for example of `@sallyport/ratelimit`. */
export interface CallLimiter {
  /** Counts one call; `allowed` is false if the limit is exceeded. */
  consume(key: {
    readonly identifier: string;
    readonly resource: string;
    readonly operation: string;
    readonly kind?: string;
    readonly caller?: string;
  }): Promise<{ readonly allowed: boolean; readonly retryAfterMs?: number }>;
}

/** Options of {@link limitCalls}; an unknown key is rejected. */
export interface LimitCallsOptions {
  /** Counts the calls; required. */
  readonly limiter: CallLimiter;
  /** Names of the tools that are limited, each with a separate count. Default: every tool, resource and prompt. */
  readonly tools?: readonly string[];
}

const TOOLS = list(text('the name of a tool'), 'a list of names of tools');
const LIMIT = defineOptions<LimitCallsOptions>()({
  limiter: withMethods<CallLimiter>('consume').required(),
  tools: TOOLS,
});

/**
 * Limits the calls of a caller to a tool. Callers are distinguished by kind, identity and tenant, anonymous callers by their IP address.
 * A denied call gets a result with `isError` and the time to wait. Each round of a call with questions counts.
 *
 * @throws FrameworkError `app.invalid_configuration` without a limiter
 *
 * @example limitCalls({ limiter: createDynamoRateLimiter({ strategy: fixedWindow({ limit: 10, windowMs: 60_000 }), onStoreError: 'deny' }), tools: ['pay'] });
 */
export function limitCalls(options: LimitCallsOptions): OnCall {
  const { limiter, tools } = LIMIT.parse(options);
  return async (call, next) => {
    if (!isFor(tools, call)) return next();
    const { allowed, retryAfterMs } = await limiter.consume(keyOf(call));
    if (allowed) return next();
    const wait = retryAfterMs === undefined ? '' : ` Try again in ${Math.ceil(retryAfterMs / 1000)} s.`;
    throw refusal(call, `Too many calls.${wait}`);
  };
}

/** Options of {@link limitTime}; an unknown key is rejected. */
export interface LimitTimeOptions {
  /** Maximum duration of one run of a handler in milliseconds; required. */
  readonly ms: number;
  /** Names of the tools that are limited. Default: every tool, resource and prompt. */
  readonly tools?: readonly string[];
}

const TIME = defineOptions<LimitTimeOptions>()({ ms: integer(1, 900_000, 'milliseconds').required(), tools: TOOLS });

/**
 * Stops a call at a time limit: the handler's `signal` aborts and the client gets an error. The time in which a user answers a
 * question does not count.
 *
 * @throws FrameworkError `app.invalid_configuration` without `ms`
 *
 * @example limitTime({ ms: 5000, tools: ['search'] });
 */
export function limitTime(options: LimitTimeOptions): OnCall {
  const { ms, tools } = TIME.parse(options);
  return async (call, next) => {
    if (!isFor(tools, call)) return next();
    let stop = () => {};
    const late = new Promise<'late'>((resolve) => {
      stop = runOf(call.ctx).scope.http.clock.after(ms, () => resolve('late'));
    });
    const first = await Promise.race([next(), late]);
    stop();
    if (first === 'late') throw refusal(call, `Timed out after ${ms} ms.`);
    return first;
  };
}

function isFor(tools: readonly string[] | undefined, { kind, name }: McpCall): boolean {
  return tools === undefined || (kind === 'tool' && tools.includes(name));
}

function keyOf({ kind, target, method, principal, tenantId, ctx }: McpCall): Parameters<CallLimiter['consume']>[0] {
  const resource = `${kind}/${target}`;
  if (!principal)
    return { identifier: ctx.http.sourceIP() || 'unknown', kind: 'source_ip', resource, operation: method };
  const caller = callerKey({ principal, authIdentity: '', tenantId });
  return { identifier: principal.identity, kind: 'principal', caller, resource, operation: method };
}

/** The message is sent to the client: for a tool as its result, for other kinds as a protocol error. */
function refusal({ kind }: McpCall, why: string): Error {
  return kind === 'tool' ? new McpToolError(why) : new RpcError(RPC.internalError, why);
}
