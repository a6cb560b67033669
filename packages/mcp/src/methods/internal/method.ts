import type { MaybePromise } from '@sallyport/core';
import { guardHook } from '@sallyport/core/internal';
import { aroundCall } from '../../calls/internal/around.js';
import { type Accepted, holdsScopes, type McpRequest, type Reply } from '../../http/internal/exchange.js';
import { own } from '../../protocol/internal/json-rpc.js';
import { TASKS } from '../../protocol/internal/protocol.js';
import type { Era, JsonObject, RequestId } from '../../protocol/types.js';
import type { McpContext } from '../../run/context.js';
import type { Call } from '../../run/internal/call.js';
import { APP_MEDIA_TYPE, APPS } from '../../server/apps.js';
import type { CacheHint } from '../../server/definitions.js';
import { invalidParams } from '../../server/errors.js';
import type { Core } from '../../server/internal/core.js';
import { type ListName, type Registered, toPages } from '../../server/internal/registry.js';
import type { Session } from '../../session/internal/session.js';
import { macText } from '../../store/internal/crypto.js';

/** A request, as far as it determines the served methods. */
export interface MethodPlace {
  readonly core: Core;
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
  /** The capabilities that the server declares for the method. `live`: this door can send changes to the client. */
  capability?(live: boolean): JsonObject;
  /** The parameter that the header `Mcp-Name` repeats in the stateless era. */
  readonly named?: 'name' | 'uri' | 'taskId';
  /** True if the `Mcp-Param-…` headers of the stateless era match the parameters. */
  agrees?(request: MethodRequest): boolean;
  /**
   * Set if `handle` only finds the call and does not run it. A batch finds all calls before any handler runs, so that one
   * forbidden call rejects the whole batch.
   */
  readonly calls?: true;
  /** Set if the hooks of the option `onCall` run around the call. */
  readonly hooked?: true;
  /** Loads the part of the engine for `handle`, with the first request. */
  readonly load?: () => Promise<Part>;
  /** @throws RpcError for wrong parameters, FrameworkError `app.forbidden` for a missing scope */
  handle(request: MethodRequest, part: Part): MaybePromise<MethodAnswer>;
}

/** A method in the table. `answer` loads the code for `handle` first. */
export interface DefinedMethod extends Omit<Method, 'load' | 'handle'> {
  answer(request: MethodRequest): MaybePromise<MethodAnswer>;
}

/** All methods by name. Both eras are served from one table. */
export type MethodTable = ReadonlyMap<string, DefinedMethod>;

/** Defines one method; it is served if it is in the list of `table.ts`. */
export function defineMethod<Part = undefined>(method: Method<Part>): DefinedMethod {
  const { load, hooked, name } = method;
  const handle = load
    ? async (request: MethodRequest) => method.handle(request, await load())
    : (request: MethodRequest) => method.handle(request, undefined as Part);
  if (!hooked) return { ...method, answer: handle };
  const around = async (request: MethodRequest): Promise<MethodAnswer> => {
    const made = await handle(request);
    return 'call' in made ? { call: aroundCall(name, request, made.call) } : made;
  };
  const answer = (request: MethodRequest) =>
    request.core.settings.onCall.length === 0 ? handle(request) : around(request);
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

/** The declared capabilities. They depend on the era, and on the door's support for streams. */
export function capabilitiesOf(table: MethodTable, era: Era, place: MethodPlace): JsonObject {
  const { settings, registry } = place.core;
  const live = settings.changes && place.http.canStream && (era === 'stateless' || settings.sessions !== 'none');
  const capabilities: JsonObject = {};
  for (const method of table.values()) {
    if (method.capability && method.isServed(place)) Object.assign(capabilities, method.capability(live));
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

/** The common members of list methods and calling methods. */
type ListMethod = Pick<Method, 'isServed'> & { readonly capability?: Method['capability'] };

/** Defines the method that lists one kind of registrations in pages. */
export function defineList(method: string, name: ListName, { isServed, capability }: ListMethod): DefinedMethod {
  return defineMethod({
    name: method,
    eras: ['session', 'stateless'],
    isServed,
    ...(capability ? { capability } : {}),
    handle: (request) => listPage(request, name),
  });
}

/**
 * True if the caller may use a registration. An error of the check counts as false. Without `subject` it determines if the tool or
 * the template is listed.
 */
export async function isAuthorized(
  { authorize, name }: Pick<Registered, 'authorize' | 'name'>,
  ctx: McpContext,
  subject?: unknown,
): Promise<boolean> {
  try {
    return authorize === undefined || (await authorize(ctx, subject)) === true;
  } catch (error) {
    guardHook(() => ctx.http.log.error('mcp.authorize_failed', { target: name, error }));
    return false;
  }
}

/** The entries of a page that the caller may call, and that `listFilter` keeps. */
async function shownTo(
  { core, http, hookContext }: MethodRequest,
  items: readonly Registered[],
): Promise<Registered[]> {
  const { listFilter } = core.settings;
  const shown: Registered[] = [];
  const context = hookContext();
  for (const item of items) {
    if (!holdsScopes(http, item)) continue;
    if (!(await isAuthorized(item, context, item.kind === 'resource' ? item.name : undefined))) continue;
    const { kind, name, scopes, anyScope } = item;
    if (!listFilter || (await listFilter(context, { kind, name, scopes, anyScope }))) shown.push(item);
  }
  return shown;
}

/**
 * One page of a list. Entries that the caller may not see do not shift the pages, so that a cursor means the same for all
 * callers.
 *
 * @throws RpcError for a cursor that does not belong to the current list
 */
async function listPage(request: MethodRequest, name: ListName): Promise<MethodAnswer> {
  const { core, params } = request;
  const { registry, settings } = core;
  const { pageSize, cache } = settings;
  const pages = registry.pages(name, pageSize);
  const cursor = own(params, 'cursor');
  const index = cursor === undefined ? 0 : await parseCursor(core, name, cursor);
  let items = pages[index];
  const differs = settings.listFilter !== undefined || registry.isGuarded(name);
  if (differs && items !== undefined) {
    const page = registry.list(name).slice(index * pageSize, (index + 1) * pageSize);
    items = toPages(await shownTo(request, page), pageSize)[0];
  }
  if (items === undefined) throw invalidParams('Invalid cursor');
  const next =
    index + 1 < pages.length ? `,"nextCursor":${JSON.stringify(await makeCursor(core, name, index + 1))}` : '';
  return {
    result: { members: `"${name}":${items}${next}`, cache: differs ? { ...cache, scope: 'private' } : cache },
  };
}

async function parseCursor(core: Core, name: ListName, cursor: unknown): Promise<number> {
  const match = typeof cursor === 'string' ? /^([1-9]\d{0,8})\.[\w-]{16}$/.exec(cursor) : null;
  const index = Number(match?.[1]);
  if (!match || cursor !== (await makeCursor(core, name, index))) throw invalidParams('Invalid cursor');
  return index;
}

/** A cursor is bound to the registrations. So a cursor of an older deployment is rejected, and no entries are skipped. */
async function makeCursor({ registry, sealer, settings }: Core, name: ListName, index: number): Promise<string> {
  const text = `${name}|${index}|${settings.pageSize}|${registry.digest}`;
  const mac = settings.secret === undefined ? macText(registry.digest, text) : await sealer.mac('cursor', text);
  return `${index}.${mac}`;
}
