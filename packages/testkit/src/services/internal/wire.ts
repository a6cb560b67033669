// The wire format of the protocols `restJson1` (https://smithy.io/2.0/aws/protocols/aws-restjson1-protocol.html) and
// `awsJson1.1` (https://smithy.io/2.0/aws/protocols/aws-json-1_1-protocol.html).
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2';
import type { Operation } from './model.js';

export type Incoming = IncomingMessage | Http2ServerRequest;
export type Outgoing = ServerResponse | Http2ServerResponse;

/** Members of the input, by name. */
export type Input = Readonly<Record<string, unknown>>;

/** A request whose operation is known. */
export interface Found {
  readonly operation: Operation;
  readonly labels: Readonly<Record<string, string>>;
  /** True if the body is one raw member, not a JSON object of members. */
  readonly isRaw: boolean;
  readonly query: URLSearchParams;
  readonly headers: Incoming['headers'];
}

/** Response of the service. */
export interface Answer {
  readonly status: number;
  readonly body: Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The operation that a request's method and path name. */
export function findOperation(operations: readonly Operation[], incoming: Incoming): Found | undefined {
  const [url = '', query = ''] = (incoming.url ?? '').split('?');
  const target = incoming.headers['x-amz-target'];
  const path = typeof target === 'string' ? `/${target.split('.').at(-1)}` : url;
  const parts = path.split('/');
  for (const operation of operations) {
    const labels = operation.method === incoming.method ? labelsOf(operation.path, parts) : undefined;
    if (labels === undefined) continue;
    const isRaw = [...operation.input.members.values()].some(({ place }) => place === 'payload');
    return { operation, labels, isRaw, query: new URLSearchParams(query), headers: incoming.headers };
  }
  return undefined;
}

function labelsOf(pattern: readonly string[], parts: readonly string[]): Record<string, string> | undefined {
  if (pattern.length !== parts.length) return undefined;
  const labels: Record<string, string> = {};
  for (const [at, part] of pattern.entries()) {
    const label = /^\{(\w+)\+?\}$/.exec(part)?.[1];
    const value = label === undefined ? undefined : decodeLabel(parts[at] ?? '');
    if (label !== undefined && value !== undefined) labels[label] = value;
    else if (part !== parts[at]) return undefined;
  }
  return labels;
}

/** `undefined` for a malformed escape: no operation has such a path. */
function decodeLabel(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** Input of the operation: labels of the path, the body, and members in query and headers. */
export function inputOf({ operation, labels, isRaw, query, headers }: Found, body: Buffer): Input {
  const input: Record<string, unknown> = { ...labels, ...(isRaw ? { body } : (parseBody(body) as object | undefined)) };
  for (const [name, { place, wire }] of operation.input.members) {
    if (place === 'query' && query.has(wire)) input[name] = query.get(wire);
    if (place === 'header' && headers[wire] !== undefined) input[name] = headers[wire];
  }
  return input;
}

/** `undefined` for a body that is not JSON, an empty object for an empty body. */
export function parseBody(body: Buffer): unknown {
  try {
    return body.length === 0 ? {} : JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}

/** The error's name is in a header, its message in the body. */
export function errorAnswer({ name, status, message, headers }: Pick<Answer, 'status' | 'headers'> & Error): Answer {
  return { status, headers: { 'x-amzn-errortype': name, ...headers }, body: Buffer.from(JSON.stringify({ message })) };
}

export function send(outgoing: Outgoing, { status, body, headers }: Answer): void {
  const response = outgoing as ServerResponse;
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': String(body.length),
    ...headers,
  });
  response.end(body);
}

/** Destroys the connection in the middle of a request. */
export function disconnect(outgoing: Outgoing): void {
  if ('stream' in outgoing) outgoing.stream.session?.destroy();
  else outgoing.socket?.destroy();
}

export async function bytesOf(stream: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}
