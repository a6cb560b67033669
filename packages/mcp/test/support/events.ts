import type { LambdaContext, Logger } from '@sallyport/core';
import {
  buildAPIGatewayProxyRequest,
  buildAPIGatewayV2Request,
  buildLambdaFunctionURLRequest,
  buildLoadBalancerRequest,
} from '@sallyport/testkit/events';

/** A request as clients send it. */
export interface Sent {
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string | Uint8Array;
}

/** An answer as clients see it; each header has all of its values. */
export interface Received {
  readonly status: number;
  readonly headers: Readonly<Record<string, readonly string[]>>;
  readonly text: string;
}

interface LambdaAnswer {
  readonly statusCode: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly multiValueHeaders?: Readonly<Record<string, readonly string[]>>;
  readonly body?: string;
  readonly isBase64Encoded?: boolean;
}

interface Served {
  handleLambda(event: unknown, context?: LambdaContext): Promise<unknown>;
}

type Build = (method: string, path: string, request: never) => object;

const BUILDERS = {
  'gateway v2': buildAPIGatewayV2Request,
  'gateway v1': buildAPIGatewayProxyRequest,
  'function URL': (method: string, path: string, request: object) =>
    buildLambdaFunctionURLRequest(method, path, { ...request, routeKey: '$default' }),
  'load balancer': buildLoadBalancerRequest,
} as const satisfies Record<string, Build>;

/** A kind of HTTP event. */
export type DoorName = keyof typeof BUILDERS;

/** Their names. */
export const DOOR_NAMES = Object.keys(BUILDERS) as readonly DoorName[];

/** Sends a request to a container as an event of this kind. */
export async function send(
  app: Served,
  door: DoorName,
  method: string,
  path: string,
  request: Sent = {},
  context?: LambdaContext,
): Promise<Received> {
  const event = (BUILDERS[door] as Build)(method, path, request as never);
  return toReceived((await app.handleLambda(event, context)) as LambdaAnswer);
}

function toReceived({ statusCode, headers, multiValueHeaders, body, isBase64Encoded }: LambdaAnswer): Received {
  const lists: Record<string, readonly string[]> = {};
  for (const [name, value] of Object.entries(headers ?? {})) lists[name.toLowerCase()] = [value];
  for (const [name, values] of Object.entries(multiValueHeaders ?? {})) lists[name.toLowerCase()] = values;
  return {
    status: statusCode,
    headers: lists,
    text: Buffer.from(body ?? '', isBase64Encoded ? 'base64' : 'utf8').toString('utf8'),
  };
}

/** A line of a log. */
export type Line = Readonly<Record<string, unknown>>;

/** A logger that redacts nothing, so that tests see what it is given. */
export function rawLog(lines: Line[], bound: object = {}): Logger {
  const write = (message: string, fields?: object) => lines.push({ message, ...bound, ...fields });
  const methods = { debug: write, info: write, warn: write, error: write };
  return { ...methods, isEnabled: () => true, with: (fields) => rawLog(lines, { ...bound, ...fields }) };
}
