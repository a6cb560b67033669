import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { FrameworkError } from '@sallyport/core';
import type { Outgoing } from '../doors/iam-authorizer.js';
import type { Target } from '../guard/check.js';
import { type GuardOptions, guardRequests } from '../guard/listener.js';
import { POLICIES } from '../guard/policies.js';
import type { History } from '../history/history.js';
import { passToDoor } from './door.js';
import { streamEvents } from './live.js';
import type { HostAnswer, HostCall, HostQuestions } from './messages.js';
import { sendAsset, sendPage } from './page.js';
import { protect, refuseWithoutToken } from './protections.js';
import { type Found, findRoute, type HistoryRoutes } from './routes.js';

/** Maximum bytes of a body: an event of 6 MiB in its form, and a larger event that the runtime is to reject. */
const MAX_BODY = 16 * 1024 * 1024;
const FAULT = 'framework: the call failed; see the terminal of `sallyport dev` for the reason';

/** Options of {@link startConsoleServer}. */
export interface ConsoleServerOptions {
  readonly routes: HistoryRoutes;
  readonly history: History;
  /** The folder with the built page. */
  readonly assets: string;
  /** `0` selects a free port. */
  readonly port: number;
  readonly token: string;
  /** Answers a request to another route. Rejects if the host failed, which has reported the reason. */
  call(call: HostCall): Promise<HostAnswer>;
  /** The door of a kind, and the headers of a request to it; `undefined` if it is not open. */
  door(request: HostQuestions['door']['input']): Promise<HostQuestions['door']['answer']>;
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
  if (method === 'GET' && path === '/api/events') return streamEvents(response, options.history, query);
  const found = findRoute(options.routes, method, path);
  if (found && method === 'GET') return sendAnswer(response, await answerCall(found, query, ''));
  const body = await readBody(request);
  if (body === undefined) return tooLarge(request, response);
  if (found) return sendAnswer(response, await answerCall(found, query, body.toString('utf8')));
  const [, kind = '', rest = ''] = /^\/door\/([\w-]+)(\/.*)$/.exec(path) ?? [];
  if (kind !== '') {
    const way = { path: rest + search, body, open: (sent: Omit<Outgoing, 'port'>) => options.door({ kind, ...sent }) };
    if (await passToDoor(request, response, way)) return;
  }
  sendAnswer(response, await options.call({ method, path, query: query.toString(), body: body.toString('utf8') }));
}

/** The answer of a route. @throws an error that is not for the caller */
export async function answerCall({ answer, params }: Found, query: URLSearchParams, body: string): Promise<HostAnswer> {
  try {
    const value = await answer({ params, query, body: body === '' ? undefined : parse(body) });
    return { text: JSON.stringify(value ?? null) };
  } catch (error) {
    // A framework error is for the calling developer; the message of any other error is printed only in the terminal.
    if (!(error instanceof FrameworkError)) throw error;
    return { status: error.code === 'local.not_found' ? 404 : 400, code: error.code, message: error.message };
  }
}

function sendAnswer(response: ServerResponse, answer: HostAnswer): void {
  if ('text' in answer) response.writeHead(200, { 'content-type': 'application/json; charset=utf-8' }).end(answer.text);
  else sendError(response, answer.status, answer.code, answer.message);
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

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      server.off('error', reject);
      resolve();
    });
  });
}
