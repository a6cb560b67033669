import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { LambdaContext } from '@sallyport/core';
import { createGatewayRestStreamingHandler, createLambdaFunctionURLStreamingHandler } from '@sallyport/http';
import { Optional, SecureApp } from '@sallyport/secure';
import {
  buildAPIGatewayProxyRequest,
  buildAPIGatewayV2Request,
  buildLambdaFunctionURLRequest,
  buildLoadBalancerRequest,
} from '@sallyport/testkit/events';
import { type McpStore, mcpCors, memoryMcpStore, mountMcp } from '../src/index.js';
import { type McpTaskEvent, mcpTasks, sessionTasks } from '../src/tasks.js';
import { APP_PAGE, APP_URI } from './app-host/page.js';
import { createJudgedServer } from './fixtures.js';
import { guardStore } from './guard-store.js';
import { AWSLAMBDA, ResponseStream } from './response-stream.js';

type Request = { readonly headers: Record<string, string[]>; readonly body?: Uint8Array };
type Respond = (event: object, context: LambdaContext, outgoing: ServerResponse) => Promise<void>;

interface Door {
  readonly toEvent: (method: string, path: string, request: Request) => object;
  /** Creates the function that answers the events of this door. */
  readonly open: (app: SecureApp) => Respond;
}

/** The front doors: from HTTP to a function, and back. */
const DOORS = {
  'gateway v2': { toEvent: buildAPIGatewayV2Request, open: buffered },
  'REST streaming': { toEvent: buildAPIGatewayProxyRequest, open: streaming(createGatewayRestStreamingHandler) },
  'function URL streaming': {
    toEvent: (method, path, request) =>
      buildLambdaFunctionURLRequest(method, path, { ...request, routeKey: '$default' }),
    open: streaming(createLambdaFunctionURLStreamingHandler),
  },
  'load balancer': { toEvent: buildLoadBalancerRequest, open: buffered },
} as const satisfies Record<string, Door>;

/** Their names. */
export const DOOR_NAMES = Object.keys(DOORS) as readonly DoorName[];

/** A front door of the judged function. */
export type DoorName = keyof typeof DOORS;

/** The judged function with one front door, at a port of this machine. */
export interface OpenedDoor {
  readonly url: URL;
  /** Method and status of every request so far. */
  readonly requests: readonly { readonly method: string; readonly status: number }[];
  /** Uses of the store after the response had ended. */
  readonly violations: readonly string[];
  /** Resolves when no instance is busy any more. */
  stop(): Promise<void>;
}

/** Options of {@link openDoor}. */
export interface DoorOptions {
  /** Origins of pages that may call the function. Default none. */
  readonly origins?: readonly string[];
}

const FUNCTION_TIMEOUT_MS = 30_000;
const INSTANCES = 3;
/** Milliseconds of a listener's stream: the function runs for this time after its client has disconnected. */
const LISTEN_MS = 1_000;

/** Real HTTP becomes events, each for a random free instance; the instances share only one store. */
export async function openDoor(name: DoorName, { origins = [] }: DoorOptions = {}): Promise<OpenedDoor> {
  const door: Door = DOORS[name];
  const store = memoryMcpStore();
  const violations: string[] = [];
  const requests: { method: string; status: number }[] = [];
  const running = new Set<Promise<void>>();
  const track = async (invocation: Promise<void>) => {
    running.add(invocation);
    await invocation;
    running.delete(invocation);
  };
  /** A task runs in a separate instance, after the response that started it. */
  const start = (event: McpTaskEvent) => {
    setImmediate(() => void track(create().run(event)));
  };
  const create = () => createInstance(door, store, { origins, start, report: (what) => violations.push(what) });
  const instances = Array.from({ length: INSTANCES }, create);
  const server = createServer(async (incoming, outgoing) => {
    const { method = 'GET', url = '/' } = incoming;
    outgoing.once('close', () => requests.push({ method, status: outgoing.statusCode }));
    const event = door.toEvent(method, url, await readRequest(incoming));
    await track(takeInstance(instances, create).invoke(event, outgoing));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`),
    requests,
    violations,
    async stop() {
      server.close();
      server.closeAllConnections();
      await Promise.all(running);
    },
  };
}

/** One execution environment: it serves one request at a time. */
interface Instance {
  readonly isBusy: boolean;
  invoke(event: object, outgoing: ServerResponse): Promise<void>;
  /** Runs a task. */
  run(event: McpTaskEvent): Promise<void>;
}

interface InstanceOptions extends Required<DoorOptions> {
  readonly start: (event: McpTaskEvent) => void;
  readonly report: (what: string) => void;
}

/** A random free instance; if all are busy, one more starts, as on Lambda. */
function takeInstance(instances: Instance[], create: () => Instance): Instance {
  const free = instances.filter(({ isBusy }) => !isBusy);
  const taken = free[Math.floor(Math.random() * free.length)] ?? create();
  if (free.length === 0) instances.push(taken);
  return taken;
}

function createInstance(door: Door, shared: McpStore, { origins, start, report }: InstanceOptions): Instance {
  const { store, begin, end } = guardStore(shared, report);
  const server = createJudgedServer(store, start, { listenMs: LISTEN_MS });
  server.tool('test_crash', { description: 'Throws what nobody expects.' }, () => {
    throw new TypeError('a detail of the inside');
  });
  sessionTasks(server);
  server.app(APP_URI, { name: 'page' }, APP_PAGE);
  server.tool('test_app', { description: 'Is shown in an app.', app: { uri: APP_URI } }, () => 'shown');
  const app = new SecureApp({ log: false, surfaces: [mcpTasks(server)], cors: mcpCors(origins) });
  mountMcp(app, server, { posture: Optional(), allowedOrigins: origins });
  const respond = door.open(app);
  let isBusy = false;
  async function invoke(act: (context: LambdaContext) => Promise<unknown>): Promise<void> {
    isBusy = true;
    begin();
    const ends = Date.now() + FUNCTION_TIMEOUT_MS;
    try {
      await act({ awsRequestId: crypto.randomUUID(), getRemainingTimeInMillis: () => ends - Date.now() });
    } finally {
      end();
      isBusy = false;
    }
  }
  return {
    get isBusy() {
      return isBusy;
    },
    // A rejection of a function after its first byte closes the connection.
    invoke: (event, outgoing) => invoke((context) => respond(event, context, outgoing).catch(() => outgoing.destroy())),
    run: (event) => invoke((context) => app.handleLambda(event, context)),
  };
}

interface BufferedAnswer {
  readonly statusCode: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly isBase64Encoded?: boolean;
}

function buffered(app: SecureApp): Respond {
  return async (event, context, outgoing) => {
    const answer = (await app.handleLambda(event, context)) as BufferedAnswer;
    outgoing.writeHead(answer.statusCode, answer.headers);
    outgoing.end(Buffer.from(answer.body ?? '', answer.isBase64Encoded ? 'base64' : 'utf8'));
  };
}

function streaming(createHandler: typeof createLambdaFunctionURLStreamingHandler): Door['open'] {
  return (app) => {
    // The handler looks for its runtime when it is made.
    Object.assign(globalThis, { awslambda: AWSLAMBDA });
    const handler = createHandler(app) as unknown as (
      event: object,
      stream: ResponseStream,
      context: LambdaContext,
    ) => Promise<void>;
    return (event, context, outgoing) => handler(event, new ResponseStream(outgoing), context);
  };
}

async function readRequest(incoming: IncomingMessage): Promise<Request> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const headers: Record<string, string[]> = {};
  for (const [name, values] of Object.entries(incoming.headersDistinct)) headers[name] = values ?? [];
  return { headers, ...(chunks.length === 0 ? {} : { body: Buffer.concat(chunks) }) };
}
