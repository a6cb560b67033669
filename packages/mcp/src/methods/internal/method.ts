import type { MaybePromise } from '@sallyport/core';
import { guardHook, hasMetricHook, stateOf } from '@sallyport/core/internal';
import { aroundCall } from '../../calls/internal/around.js';
import type { Accepted, McpRequest, Reply } from '../../http/internal/transport.js';
import { RPC, TASKS } from '../../protocol/internal/protocol.js';
import type { Era, JsonObject, RequestId } from '../../protocol/types.js';
import type { McpContext } from '../../run/context.js';
import type { Call } from '../../run/internal/call.js';
import { runOf } from '../../run/internal/handler-context.js';
import { APP_MEDIA_TYPE, APPS } from '../../server/apps.js';
import type { CacheHint } from '../../server/definitions.js';
import { RpcError } from '../../server/errors.js';
import type { Registered } from '../../server/internal/registry.js';
import type { ServerData } from '../../server/internal/server-data.js';
import type { Session } from '../../session/internal/session.js';

/** A request, as far as it determines the served methods. */
export interface MethodPlace {
  readonly server: ServerData;
  readonly http: McpRequest;
  /** Set only in the session era. */
  readonly session: Session | undefined;
}

/** One request of a method, in either era. */
export interface MethodRequest extends MethodPlace {
  readonly methods: MethodTable;
  readonly era: Era;
  readonly id: RequestId;
  readonly params: JsonObject;
  readonly accepted: Accepted;
  /** The context of an application's hook, without questions to the client. */
  hookContext(): McpContext;
}

/** A result of the server, without a handler of the application. */
export interface MethodResult {
  /** The members of the result as JSON text without the outer braces; `''` for no members. */
  readonly members: string;
  /** Cache lifetime in the stateless era. Absent: the result contains no caching hint. */
  readonly cache?: Required<CacheHint>;
}

/** The outcome of a method: a handler to run, a result, or a complete reply. */
export type MethodAnswer = { readonly call: Call } | { readonly result: MethodResult } | { readonly reply: Reply };

/** One JSON-RPC method with all its rules. */
export interface Method<Part = unknown> {
  /** The name in messages: `tools/call`. */
  readonly name: string;
  readonly eras: readonly Era[];
  /** True if the server supports this method; otherwise the method does not exist for the client. */
  isServed(place: MethodPlace): boolean;
  /** The capabilities that the server declares for the method. `notifies`: this door can send changes to the client. */
  capability?(notifies: boolean): JsonObject;
  /** The parameter that the header `Mcp-Name` repeats in the stateless era. */
  readonly named?: 'name' | 'uri' | 'taskId';
  /**
   * Set if `handle` only finds the call and does not run it. A batch finds all calls before any handler runs, so that one
   * forbidden call rejects the whole batch.
   */
  readonly findsCall?: true;
  /** Set if the hooks of the option `onCall` run around the call. */
  readonly hooked?: true;
  /** Loads the part of the engine for `handle`, with the first request. */
  readonly load?: () => Promise<Part>;
  /** @throws RpcError for wrong parameters, FrameworkError `app.forbidden` for a missing scope */
  handle(request: MethodRequest, part: Part): MaybePromise<MethodAnswer>;
}

/** A method in the table. `answer` loads the code for `handle` first. */
export interface DefinedMethod extends Omit<Method, 'load' | 'handle'> {
  answer(request: MethodRequest): Promise<MethodAnswer>;
}

/** All methods by name. Both eras are served from one table. */
export type MethodTable = ReadonlyMap<string, DefinedMethod>;

/** Defines one method; it is served if it is in the list of `table.ts`. */
export function defineMethod<Part = undefined>(method: Method<Part>): DefinedMethod {
  const { name, hooked, load } = method;
  const answer = async (request: MethodRequest): Promise<MethodAnswer> => {
    const made = await method.handle(request, (load && (await load())) as Part);
    const facts = 'call' in made ? made.call.target.facts : undefined;
    stateOf(request.http.context).recorded = { rpc_method: name, ...facts };
    const isHooked = hooked && (request.server.settings.onCall.length > 0 || hasMetricHook(request.http.context));
    return isHooked && 'call' in made ? { call: aroundCall(request, made.call) } : made;
  };
  return { ...method, answer };
}

/** The table of a list of methods. */
export function tableOf(methods: readonly DefinedMethod[]): MethodTable {
  return new Map(methods.map((method) => [method.name, method]));
}

/** The method of a request; `undefined` if this era has no such method, or the server does not support it. */
export function findMethod(table: MethodTable, era: Era, name: string, place: MethodPlace): DefinedMethod | undefined {
  const method = table.get(name);
  return method?.eras.includes(era) && method.isServed(place) ? method : undefined;
}

/**
 * The call of a stored request, to run its handler again. It can be missing, because this request may reach another deployment.
 *
 * @throws RpcError without a call, or for wrong parameters
 */
export async function findCallAgain(name: string, request: Omit<MethodRequest, 'hookContext'>): Promise<Call> {
  const hookContext = () => {
    throw new Error('framework: mcp: a stored call has no hooks');
  };
  const answer = await request.methods.get(name)?.answer({ ...request, hookContext });
  if (answer && 'call' in answer) return answer.call;
  throw new RpcError(RPC.methodNotFound, 'Method not found');
}

/** The declared capabilities. They depend on the era, and on the door's support for streams. */
export function capabilitiesOf(table: MethodTable, era: Era, place: MethodPlace): JsonObject {
  const { settings, registry } = place.server;
  const notifies = settings.changes && place.http.canStream && (era === 'stateless' || settings.sessions !== 'none');
  const capabilities: JsonObject = {};
  for (const method of table.values()) {
    if (method.capability && method.isServed(place)) Object.assign(capabilities, method.capability(notifies));
  }
  const extensions = {
    ...settings.extensions,
    ...(registry.hasApps ? { [APPS]: { mimeTypes: [APP_MEDIA_TYPE] } } : {}),
    ...(era === 'stateless' && settings.tasks ? { [TASKS]: {} } : {}),
  };
  if (Object.keys(extensions).length > 0) capabilities.extensions = extensions;
  return capabilities;
}

/** The members of a result as JSON, without the outer braces. */
export function membersJson(result: JsonObject): string {
  return JSON.stringify(result).slice(1, -1);
}

/**
 * True if the caller may use a registration. An error of the check counts as false. Without `subject` it determines if the tool or
 * the template is listed.
 */
export async function isAuthorized(
  item: Pick<Registered, 'authorize' | 'facts'>,
  ctx: McpContext,
  subject?: unknown,
): Promise<boolean> {
  try {
    return item.authorize === undefined || (await item.authorize(ctx, subject)) === true;
  } catch (error) {
    const { method } = runOf(ctx).scope.facts;
    guardHook(() => ctx.http.log.error('mcp.authorize_failed', { method, ...item.facts, error }));
    return false;
  }
}
