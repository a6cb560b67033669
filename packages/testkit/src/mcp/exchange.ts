import type { LambdaContext } from '@sallyport/core';
import { buildAPIGatewayProxyRequest } from '../builders/gateway-proxy.js';
import { buildAPIGatewayV2Request, buildLambdaFunctionURLRequest } from '../builders/gateway-v2.js';
import { buildLoadBalancerRequest } from '../builders/load-balancer.js';
import type { LambdaApp } from '../env/env.js';
import { openStream } from '../env/streamed.js';

/** The front door that receives the requests. */
export type McpDoor = 'gateway-v2' | 'function-url' | 'gateway-v1' | 'load-balancer';

/** One HTTP request of a client. */
export interface McpHttpRequest {
  readonly method: 'POST' | 'GET' | 'DELETE';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** The response of a front door; the body in the pieces in which it was written. */
export interface McpHttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: AsyncIterable<string>;
}

interface BufferedAnswer {
  readonly statusCode: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly multiValueHeaders?: Readonly<Record<string, readonly string[]>>;
  readonly body?: string;
  readonly isBase64Encoded?: boolean;
}

/** The event of a request, as its door sends it. */
function toEvent(door: McpDoor, { method, path, headers, body }: McpHttpRequest): object {
  const options = body === undefined ? { headers } : { headers, body };
  switch (door) {
    case 'gateway-v2':
      return buildAPIGatewayV2Request(method, path, options);
    case 'function-url':
      return buildLambdaFunctionURLRequest(method, path, { ...options, routeKey: '$default' });
    case 'gateway-v1':
      return buildAPIGatewayProxyRequest(method, path, options);
    case 'load-balancer':
      return buildLoadBalancerRequest(method, path, options);
  }
}

/** Sends a request through a door; `streaming` reads the answer while it is written. */
export async function exchange(
  app: LambdaApp,
  door: McpDoor,
  streaming: boolean,
  request: McpHttpRequest,
  lambdaContext: LambdaContext,
): Promise<McpHttpAnswer> {
  const event = toEvent(door, request);
  if (streaming) {
    const { response, chunks } = await openStream(app, event, lambdaContext);
    const headers = Object.entries(response.headers).map(([name, values]) => [name, values.join(', ')] as const);
    return { status: response.status, headers: Object.fromEntries(headers), body: toTexts(chunks) };
  }
  const answer = (await app.handleLambda(event, lambdaContext)) as BufferedAnswer;
  const text = Buffer.from(answer.body ?? '', answer.isBase64Encoded ? 'base64' : 'utf8').toString('utf8');
  const { multiValueHeaders = {} } = answer;
  const lists = Object.entries(multiValueHeaders).map(([name, values]) => [name, values.join(', ')]);
  const headers: Record<string, string> = {};
  for (const [name = '', value = ''] of [...Object.entries(answer.headers ?? {}), ...lists]) {
    headers[name.toLowerCase()] = value;
  }
  return { status: answer.statusCode, headers, body: oneText(text) };
}

async function* oneText(text: string): AsyncGenerator<string> {
  if (text !== '') yield text;
}

async function* toTexts(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  for await (const chunk of chunks) yield decoder.decode(chunk, { stream: true });
}

/** One server-sent event; without data it only moves the position. */
export interface SseEvent {
  readonly id?: string;
  readonly retryMs?: number;
  readonly data?: string;
}

/** The events of a stream as they arrive (https://html.spec.whatwg.org/multipage/server-sent-events.html). */
export async function* readEvents(body: AsyncIterable<string>): AsyncGenerator<SseEvent> {
  let rest = '';
  for await (const text of body) {
    const blocks = (rest + text).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const event = toSseEvent(block);
      if (event) yield event;
    }
  }
}

function toSseEvent(block: string): SseEvent | undefined {
  const fields = new Map<string, string>();
  for (const line of block.split('\n')) {
    const [, name = '', value = ''] = /^([a-z]+)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (name !== '') fields.set(name, value);
  }
  const [id, retry, data] = [fields.get('id'), fields.get('retry'), fields.get('data')];
  if (id === undefined && retry === undefined && data === undefined) return undefined;
  return {
    ...(id === undefined ? {} : { id }),
    ...(retry === undefined ? {} : { retryMs: Number(retry) }),
    ...(data ? { data } : {}),
  };
}

/** Reads a whole body. */
export async function readText(body: AsyncIterable<string>): Promise<string> {
  let text = '';
  for await (const part of body) text += part;
  return text;
}
