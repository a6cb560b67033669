import { isFrameworkError, type MultiMap } from '@sallyport/core';
import { append, createMap } from '@sallyport/core/internal';
import type { HttpSurface, Registration } from '@sallyport/http/internal';
import type { ReadResourceResult } from '../../protocol/types.js';
import type { McpContext } from '../../run/context.js';
import type { ServerData } from '../../server/internal/server-data.js';
import type { McpServer } from '../../server/server.js';
import { mayUse } from './guard.js';
import { readBytes } from './response-body.js';
import { runRoute } from './route-call.js';
import { FILE_PREFIX, type RouteRequest } from './route-request.js';
import type { CompiledRoute } from './route-schema.js';

/** Finds the routes of one application. */
interface Source {
  readonly http: Pick<HttpSurface, 'match'>;
  readonly routes: ReadonlyMap<Registration, CompiledRoute>;
}

/** The sources of each server. A server has one template for the files of all of them. */
const SOURCES = new WeakMap<ServerData, Source[]>();

/** Registers the template with which clients read the files that tools link to. Routes with a response schema return no files. */
export function addFiles(
  server: McpServer,
  data: ServerData,
  http: Source['http'],
  routes: readonly CompiledRoute[],
): void {
  const readable = routes.filter(({ record, output }) => record.method === 'GET' && output === undefined);
  if (readable.length === 0) return;
  const source = { http, routes: new Map(readable.map((route) => [route.registration, route])) };
  const known = SOURCES.get(data);
  if (known) {
    known.push(source);
    return;
  }
  const sources = [source];
  SOURCES.set(data, sources);
  server.resourceTemplate(
    `${FILE_PREFIX}/{+path}`,
    { name: 'files', description: 'Files that tools link to.' },
    (_, ctx, uri) => readFile(sources, uri, ctx),
  );
}

/** Reads a file by running its route for the caller; `undefined` for an unknown file, and for a caller without access. */
async function readFile(sources: readonly Source[], uri: string, ctx: McpContext) {
  const [path = '', search = ''] = uri.slice(FILE_PREFIX.length).split('?', 2);
  for (const { http, routes } of sources) {
    const match = http.match('GET', path);
    const route = match && routes.get(match.registration);
    if (!route) continue;
    if (!mayUse(ctx.principal, route.record)) return undefined;
    const query: MultiMap = createMap();
    for (const [name, value] of new URLSearchParams(search)) append(query, name, value);
    return contentsOf(route, { values: match.params, query, body: '' }, uri, ctx);
  }
  return undefined;
}

async function contentsOf(route: CompiledRoute, request: RouteRequest, uri: string, ctx: McpContext) {
  try {
    return await runRoute(route, request, ctx, async (response): Promise<ReadResourceResult | undefined> => {
      const bytes = await readBytes(response);
      if (response.status !== 200) return undefined;
      const mimeType = response.headers['content-type']?.[0]?.split(';')[0]?.trim() ?? 'application/octet-stream';
      const isText = /^(?:text\/|application\/json$)/i.test(mimeType);
      const body = isText ? { text: bytes.toString('utf8') } : { blob: bytes.toString('base64') };
      return { contents: [{ uri, mimeType, ...body }] };
    });
  } catch (thrown) {
    if (isFrameworkError(thrown) && thrown.status < 500) return undefined;
    throw thrown;
  }
}
