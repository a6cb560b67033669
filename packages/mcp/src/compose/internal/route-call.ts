import { isFrameworkError, type StandardIssue } from '@sallyport/core';
import { clientErrorOf, isObject, type OutgoingResponse, stateOf } from '@sallyport/core/internal';
import { own } from '../../protocol/internal/json-rpc.js';
import type { JsonObject } from '../../protocol/types.js';
import type { McpContext } from '../../run/context.js';
import { toolError } from '../../run/internal/answer.js';
import { describeIssues } from '../../run/internal/argument-issues.js';
import { runOf } from '../../run/internal/handler-context.js';
import { toToolResult } from './route-answer.js';
import { openRoute, type RouteRequest, toRequest } from './route-request.js';
import type { CompiledRoute } from './route-schema.js';
import type { SelectedRoute } from './selection.js';

/** The member of `_meta` with which a client sends an `Idempotency-Key`. */
const IDEMPOTENCY_KEY = 'idempotency-key';

/** Calls a route with the arguments of its tool. Errors that an HTTP client would receive are results with `isError`. */
export async function callRoute(route: CompiledRoute, args: JsonObject, ctx: McpContext): Promise<JsonObject> {
  const request = toRequest(route, args);
  if ('issues' in request) return invalidArguments(request.issues);
  try {
    return await runRoute(route, request, ctx, (response) => toToolResult(route, request, response, ctx));
  } catch (thrown) {
    const result = toFailure(thrown);
    if (result === undefined) throw thrown;
    return result;
  }
}

/** Runs middlewares and handler of a route, and reads its response before the context ends. */
export async function runRoute<T>(
  route: SelectedRoute,
  request: RouteRequest,
  ctx: McpContext,
  read: (response: OutgoingResponse) => T | Promise<T>,
): Promise<T> {
  const { registration } = route;
  const outer = stateOf(ctx.http);
  outer.recorded = { ...outer.recorded, called_route: `${registration.route.method} ${registration.route.pattern}` };
  const { state, context } = openRoute(route, request, ctx, idempotencyKeyOf(ctx));
  try {
    return await read(await registration.run(context));
  } finally {
    state.end(false);
    const deliveries = state.kept && state.settleDeliveries();
    if (deliveries) await deliveries;
  }
}

function idempotencyKeyOf(ctx: McpContext): string | undefined {
  const { meta } = runOf(ctx).scope;
  const key = isObject(meta) ? own(meta as JsonObject, IDEMPOTENCY_KEY) : undefined;
  return typeof key === 'string' ? key : undefined;
}

function invalidArguments(issues: readonly string[]): JsonObject {
  return toolError(`Invalid arguments: ${issues.join('; ')}`);
}

/** The result for an error that the client has caused; `undefined` for any other error. */
function toFailure(thrown: unknown): JsonObject | undefined {
  if (!isFrameworkError(thrown)) return undefined;
  const { status, code, message, details, headers } = clientErrorOf(thrown);
  if (status >= 500) return undefined;
  const errors = isObject(details) ? details.errors : undefined;
  if (code === 'app.validation_failed' && Array.isArray(errors)) return invalidArguments(issuesOf(errors));
  const retry = headers?.['retry-after'];
  return toolError(`${message} (${code}${retry === undefined ? '' : `; retry after ${String(retry)} s`})`);
}

/** The problems that `bind` has found, as path and message. */
function issuesOf(errors: readonly unknown[]): readonly string[] {
  const issues = errors.filter(isObject).map(({ field, message }): StandardIssue => {
    const path = typeof field === 'string' && field !== '' ? field.split('.') : [];
    return { path, message: typeof message === 'string' ? message : '' };
  });
  return describeIssues(issues, 'message', () => []);
}
