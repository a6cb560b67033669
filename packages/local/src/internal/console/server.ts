import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { FrameworkError } from '@sallyport/core';
import type { Target } from '../guard/check.js';
import { type GuardOptions, guardRequests } from '../guard/listener.js';
import { POLICIES } from '../guard/policies.js';
import type { Journal } from '../journal/journal.js';
import { type DoorAddress, passToDoor } from './door.js';
import { streamEvents } from './live.js';
import { sendAsset, sendPage } from './page.js';
import { protect, refuseWithoutToken } from './protections.js';
import { type Found, findRoute, type Routes } from './routes.js';

/** Maximum bytes of a body: an event of 6 MiB in its form, and a larger event that the runtime is to reject. */
const MAX_BODY = 16 * 1024 * 1024;
/** Maximum number of records sent to a page when it opens; the page can request fewer. */
const MAX_RECORDS = 1000;
const FAULT = 'framework: the call failed; see the terminal of `sallyport dev` for the reason';

/** Options of {@link startConsoleServer}. */
export interface ConsoleServerOptions {
  readonly routes: Routes;
  readonly journal: Journal;
  /** The folder with the built page. */
  readonly assets: string;
  /** `0` selects a free port. */
  readonly port: number;
  readonly token: string;
  /** The door of a kind; `undefined` if it is not open. */
  door(kind: string): Omit<DoorAddress, 'path'> | undefined;
  /** Receives errors of routes that are not meant for the caller. */
  onFault(error: unknown): void;
}

/** A running console. */
export interface ConsoleServer {
  readonly port: number;
  close(): Promise<void>;
}

/**
 * Starts the console on the loopback interface. No option makes it listen elsewhere.
 *
 * @throws Error of Node when the port is taken (`EADDRINUSE`)
 */
export async function startConsoleServer(options: ConsoleServerOptions): Promise<ConsoleServer> {
  const guard: GuardOptions<ServerResponse> = {
    policy: POLICIES.console,
    allowHosts: [],
    onFault: (error) => options.onFault(error),
    prepare: protect,
    refuse: (response, { status, message }) =>
      status === 500
        ? sendError(response, status, 'local.fault', FAULT)
        : sendError(response, status, 'local.refused', `framework: ${message}`),
  };
  const server = createServer(
    guardRequests(guard, (request: IncomingMessage, response, target) => serve(options, request, response, target)),
  );
  await listen(server, options.port);
  const { port } = server.address() as AddressInfo;
  return {
    port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function serve(
  options: ConsoleServerOptions,
  request: IncomingMessage,
  response: ServerResponse,
  { path, search }: Target,
): Promise<void> {
  const { method = '' } = request;
  const query = new URLSearchParams(search);
  if (method === 'GET' && path === '/') return sendPage(response, options.assets);
  if (method === 'GET' && (await sendAsset(response, options.assets, path))) return;
  const unknown = refuseWithoutToken(request, options.token);
  if (unknown) return sendError(response, unknown.status, 'local.refused', unknown.message);
  if (method === 'GET' && path === '/api/events')
    return streamEvents(response, options.journal, toCount(query.get('last')));
  const [, kind = '', rest = ''] = /^\/door\/([\w-]+)(\/.*)$/.exec(path) ?? [];
  const door = kind === '' ? undefined : options.door(kind);
  if (door) {
    const body = await readBody(request);
    return body ? passToDoor(request, response, body, { ...door, path: rest + search }) : tooLarge(request, response);
  }
  const found = findRoute(options.routes, method, path);
  if (found) return answerCall(found, request, response, query);
  sendError(response, 404, 'local.not_found', 'framework: the console has no such route');
}

async function answerCall(
  { answer, params }: Found,
  request: IncomingMessage,
  response: ServerResponse,
  query: URLSearchParams,
): Promise<void> {
  const bytes = await readBody(request);
  if (bytes === undefined) return tooLarge(request, response);
  const text = bytes.toString('utf8');
  let value: unknown;
  try {
    value = await answer({ params, query, body: text === '' ? undefined : parse(text) });
  } catch (error) {
    // A framework error is for the calling developer; the message of any other error is printed only in the terminal.
    if (!(error instanceof FrameworkError)) throw error;
    return sendError(response, error.code === 'local.not_found' ? 404 : 400, error.code, error.message);
  }
  response.writeHead(200, { 'content-type': 'application/json; charset=utf-8' }).end(JSON.stringify(value ?? null));
}

function tooLarge(request: IncomingMessage, response: ServerResponse): void {
  request.resume();
  response.setHeader('connection', 'close');
  sendError(response, 413, 'local.too_large', `framework: a call has at most ${MAX_BODY} bytes`);
}

function sendError(response: ServerResponse, status: number, code: string, message: string): void {
  response
    .writeHead(status, { 'content-type': 'application/json; charset=utf-8' })
    .end(JSON.stringify({ error: { code, message } }));
}

/** The body; `undefined` if it is too large. */
async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  // Destroying the request would also close its connection, before the response is sent.
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BODY) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new FrameworkError('local.invalid_request', 'framework: the body of a call is not JSON');
  }
}

function toCount(text: string | null): number {
  const count = text === null ? MAX_RECORDS : Number(text);
  return Number.isInteger(count) && count >= 0 ? Math.min(count, MAX_RECORDS) : MAX_RECORDS;
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      server.off('error', reject);
      resolve();
    });
  });
}
