import { holdsScopes } from '../../http/internal/transport.js';
import { macText } from '../../internal/crypto.js';
import { own } from '../../protocol/internal/json-rpc.js';
import { invalidParams } from '../../server/errors.js';
import { type ListName, type Registered, toPages } from '../../server/internal/registry.js';
import type { ServerData } from '../../server/internal/server-data.js';
import {
  type DefinedMethod,
  defineMethod,
  isAuthorized,
  type Method,
  type MethodAnswer,
  type MethodRequest,
} from './method.js';

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

/** The entries of a page that the caller may call, and that `listFilter` keeps. */
async function shownTo(
  { server, http, hookContext }: MethodRequest,
  items: readonly Registered[],
): Promise<Registered[]> {
  const { listFilter } = server.settings;
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
  const { server, params } = request;
  const { registry, settings } = server;
  const { pageSize, cache } = settings;
  const pages = registry.pages(name, pageSize);
  const cursor = own(params, 'cursor');
  // Some clients send an empty cursor for the first page.
  const index = (cursor ?? '') === '' ? 0 : await parseCursor(server, name, cursor);
  let items = pages[index];
  const differs = settings.listFilter !== undefined || registry.isGuarded(name);
  if (differs && items !== undefined) {
    const page = registry.list(name).slice(index * pageSize, (index + 1) * pageSize);
    items = toPages(await shownTo(request, page), pageSize)[0];
  }
  if (items === undefined) throw invalidParams('Invalid cursor');
  const next =
    index + 1 < pages.length ? `,"nextCursor":${JSON.stringify(await makeCursor(server, name, index + 1))}` : '';
  return {
    result: { members: `"${name}":${items}${next}`, cache: differs ? { ...cache, scope: 'private' } : cache },
  };
}

async function parseCursor(server: ServerData, name: ListName, cursor: unknown): Promise<number> {
  const match = typeof cursor === 'string' ? /^([1-9]\d{0,8})\.[\w-]{16}$/.exec(cursor) : null;
  const index = Number(match?.[1]);
  if (!match || cursor !== (await makeCursor(server, name, index))) throw invalidParams('Invalid cursor');
  return index;
}

/** A cursor is bound to the registrations. So a cursor of an older deployment is rejected, and no entries are skipped. */
async function makeCursor({ registry, sealer, settings }: ServerData, name: ListName, index: number): Promise<string> {
  const text = `${name}|${index}|${settings.pageSize}|${registry.digest}`;
  const mac = settings.secret === undefined ? macText(registry.digest, text) : await sealer.mac('cursor', text);
  return `${index}.${mac}`;
}
