import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  buildAPIGatewayProxyRequest,
  buildAPIGatewayV2Request,
  buildLambdaFunctionURLRequest,
  buildLoadBalancerRequest,
} from '@sallyport/testkit/events';

interface EventInput {
  readonly headers: Readonly<Record<string, readonly string[]>>;
  readonly body?: Uint8Array;
}

/** Converts a request to the event of a front door. */
const DOORS = {
  'gateway v2': buildAPIGatewayV2Request,
  'gateway v1': buildAPIGatewayProxyRequest,
  'function URL': (method, path, input) =>
    buildLambdaFunctionURLRequest(method, path, { ...input, routeKey: '$default' }),
  'load balancer': buildLoadBalancerRequest,
} as const satisfies Record<string, (method: string, path: string, input: EventInput) => object>;

/** A front door of a function. */
export type DoorName = keyof typeof DOORS;

/** All of them. */
export const DOOR_NAMES = Object.keys(DOORS) as readonly DoorName[];

/** REST APIs rename this header (https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-known-issues.html). */
const RENAMED = { 'www-authenticate': 'x-amzn-remapped-www-authenticate' } as Readonly<Record<string, string>>;

type LambdaHandler = (event: object, context: object) => Promise<unknown>;

interface LambdaAnswer {
  readonly statusCode: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly multiValueHeaders?: Readonly<Record<string, readonly string[]>>;
  readonly cookies?: readonly string[];
  readonly body?: string;
  readonly isBase64Encoded?: boolean;
}

/** A front door at a port of this machine. */
export interface OpenDoor {
  /** Its URL without a path. */
  readonly origin: string;
  /** Method, path and status of every request so far: `POST /mcp 401`. */
  readonly requests: readonly string[];
  /** The function of the front door; until it is set, the door answers 503. */
  handler: LambdaHandler | undefined;
  close(): Promise<void>;
}

/**
 * Opens a front door: HTTP becomes events of its kind, and answers become HTTP.
 *
 * @param renamesChallenge whether `www-authenticate` is renamed as API Gateway does
 */
export async function openDoor(name: DoorName, { renamesChallenge = false } = {}): Promise<OpenDoor> {
  const requests: string[] = [];
  const server = createServer(async (incoming, outgoing) => {
    const { method = 'GET', url = '/' } = incoming;
    const event = DOORS[name](method, url, await readRequest(incoming));
    const answer = door.handler ? ((await door.handler(event, contextOf())) as LambdaAnswer) : { statusCode: 503 };
    const headers = Object.entries(headersOf(answer)).map(([key, value]) => [
      renamesChallenge ? (RENAMED[key] ?? key) : key,
      value,
    ]);
    requests.push(`${method} ${url.split('?')[0]} ${answer.statusCode}`);
    outgoing.writeHead(answer.statusCode, Object.fromEntries(headers));
    outgoing.end(Buffer.from(answer.body ?? '', answer.isBase64Encoded ? 'base64' : 'utf8'));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const door: OpenDoor = {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    handler: undefined,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return door;
}

const FUNCTION_TIMEOUT_MS = 28_000;

function contextOf(): object {
  const ends = Date.now() + FUNCTION_TIMEOUT_MS;
  return { awsRequestId: crypto.randomUUID(), getRemainingTimeInMillis: () => ends - Date.now() };
}

async function readRequest(incoming: IncomingMessage): Promise<EventInput> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const headers: Record<string, string[]> = {};
  for (const [name, values = []] of Object.entries(incoming.headersDistinct)) headers[name] = values;
  const body = Buffer.concat(chunks);
  return { headers, ...(body.length > 0 && { body }) };
}

function headersOf({ headers = {}, multiValueHeaders = {}, cookies }: LambdaAnswer): Record<string, string | string[]> {
  const all: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(headers)) all[name.toLowerCase()] = value;
  for (const [name, values] of Object.entries(multiValueHeaders)) all[name.toLowerCase()] = [...values];
  if (cookies) all['set-cookie'] = [...cookies];
  return all;
}
