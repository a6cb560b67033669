import { countIn } from '@sallyport/core/internal';
import { type McpRequest, nowMs } from '../../http/internal/transport.js';
import { digestOf } from '../../internal/crypto.js';
import type { JsonObject } from '../../protocol/types.js';
import type { McpAskingContext } from '../../run/context.js';
import type { Call } from '../../run/internal/call.js';
import { isInputRequired, runOf } from '../../run/internal/handler-context.js';
import type { HandlerRun, Outcome, Paused } from '../../run/internal/run.js';
import { isInstance, McpToolError } from '../../server/errors.js';
import type { ServerData } from '../../server/internal/server-data.js';
import type { CallEnd, CallOutcome, McpCall, OnCall } from '../call.js';

/** The kinds of registrations that a hook runs around. */
const KINDS = { tool: 'tool', resource: 'resource', template: 'resource', prompt: 'prompt' } as const;

/** The request of the call. */
interface CallPlace {
  readonly server: ServerData;
  readonly http: McpRequest;
}

/** Runs the call inside the hooks of the server. Hooks get full results, so the call completes its answer. */
export function aroundCall(request: CallPlace, call: Call): Call {
  const { onCall } = request.server.settings;
  return {
    ...call,
    invoke: (ctx) => {
      const run = runOf(ctx);
      return run.track(runHooks(onCall, toMcpCall(call, ctx, run), call, request, run));
    },
    complete: (answer) => answer as JsonObject,
  };
}

function toMcpCall({ method, target, name, args }: Call, ctx: McpAskingContext, run: HandlerRun): McpCall {
  const { principal, tenantId } = ctx;
  return {
    ...{
      kind: KINDS[target.kind],
      name,
      target: target.name,
      method,
      principal,
      tenantId,
      ctx,
      round: run.memory.round,
    },
    get argsDigest() {
      return args === undefined ? '' : digestOf(args);
    },
  };
}

/** The handler's result, after all hooks have ended. */
async function runHooks(
  hooks: readonly OnCall[],
  about: McpCall,
  call: Call,
  { http }: CallPlace,
  run: HandlerRun,
): Promise<unknown> {
  const started = nowMs(http.clock);
  let answer: unknown;
  const endOf = (outcome: CallOutcome, error?: unknown): CallEnd => {
    const durationMs = nowMs(http.clock) - started;
    return error === undefined ? { outcome, durationMs } : { outcome, durationMs, error };
  };
  const handle = async (): Promise<CallEnd> => {
    const value = await call.invoke(about.ctx as McpAskingContext);
    answer = isInputRequired(value) ? value : await call.complete(value, http);
    if (isInputRequired(answer)) return endOf('asked');
    return endOf((answer as JsonObject).isError === true ? 'tool_error' : 'ok');
  };
  /** A paused run never returns: its handler waits forever. */
  const over = run.over.then((outcome) =>
    outcome.kind === 'paused'
      ? endOf(outcome.on)
      : endOf(OUTCOMES[outcome.kind], 'error' in outcome ? outcome.error : undefined),
  );
  const failed = (error: unknown) => endOf(isInstance(error, McpToolError) ? 'tool_error' : 'failed', error);
  const runFrom = async (index: number): Promise<CallEnd> => {
    const hook = hooks[index];
    if (!hook) return Promise.race([handle(), over]);
    let behind: Promise<CallEnd> | undefined;
    const next = () => {
      behind ??= runFrom(index + 1).catch(failed);
      return behind;
    };
    await hook(about, next);
    if (!behind) throw new TypeError('framework: mcp: a hook of "onCall" must call next() or throw');
    return behind;
  };
  const measure = ({ outcome, durationMs }: CallEnd) => {
    const { kind, target } = about;
    countIn(http.context, { name: 'framework.call', tags: { kind, target, outcome }, durationMs });
  };
  try {
    const end = await runFrom(0).catch((error: unknown) => {
      measure(failed(error));
      throw error;
    });
    measure(end);
    if (end.error !== undefined) throw end.error;
    return answer;
  } catch (error) {
    run.finish({ kind: 'failed', error }, error);
    throw error;
  }
}

const OUTCOMES = {
  answer: 'ok',
  failed: 'failed',
  lacks: 'failed',
  cancelled: 'cancelled',
  timeout: 'timeout',
} as const satisfies Record<Exclude<Outcome, Paused>['kind'], CallOutcome>;
