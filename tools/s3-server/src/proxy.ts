import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { HeadObjectCommand } from '@aws-sdk/client-s3';
import { createS3TestClient } from './server.js';

/** Fault of a request. */
export type S3Fault =
  /** The server never receives it; the client receives this error. */
  | { readonly kind: 'error'; readonly status: number; readonly code: string; readonly message?: string }
  /** The server never receives it, and the client receives no answer. */
  | { readonly kind: 'silence' }
  /** The server never receives it; the connection is reset. */
  | { readonly kind: 'reset' }
  /** The server applies it; the connection is reset instead of an answer. */
  | { readonly kind: 'lost-answer' }
  /** The answer's body stops after so many bytes, and the connection stays open. */
  | { readonly kind: 'stall'; readonly after: number }
  /** The answer's body stops after so many bytes, and the connection is reset. */
  | { readonly kind: 'cut'; readonly after: number }
  /** The answer has no `content-length`; it is sent in chunks. */
  | { readonly kind: 'chunked' }
  /** The answer has a checksum that does not match its body. */
  | { readonly kind: 'wrong-checksum' };

interface ActiveRule {
  readonly fault: S3Fault;
  readonly method: string | undefined;
  left: number;
}

/** One request that arrived. */
export interface SeenRequest {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  /** Bytes of the answer's body that were passed to the socket. */
  readonly sentBytes: number;
  /** Settles when the connection of the answer is closed or the answer is whole. */
  readonly closed: Promise<'whole' | 'cut'>;
}

/**
 * A loopback proxy in front of the server. It adds what radosgw lacks: it rejects a body with the wrong SHA-256, answers
 * `NoSuchVersion` for a missing version, and enforces `If-None-Match` in buckets with versions. It also injects faults.
 */
export class S3Proxy {
  readonly #target: URL;
  readonly #server = createServer((incoming, outgoing) => {
    this.#serve(incoming, outgoing).catch(() => outgoing.destroy());
  });
  #rules: ActiveRule[] = [];
  /** In the order in which they arrived. */
  readonly requests: SeenRequest[] = [];

  constructor(target: string) {
    this.#target = new URL(target);
  }

  /** Option `endpoint` of clients, instead of the server's address. */
  get endpoint(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
  }

  async stop(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeAllConnections();
    await closed;
  }

  /** Injects a fault into requests from now on, for one method or all, `times` times or always. The first matching rule applies. */
  inject(fault: S3Fault, { method, times = Number.POSITIVE_INFINITY }: { method?: string; times?: number } = {}): void {
    this.#rules.push({ fault, method, left: times });
  }

  /** Removes all rules and requests. */
  clear(): void {
    this.#rules = [];
    this.requests.length = 0;
  }

  async #serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { method = '', url: path = '', headers } = incoming;
    const seen = { method, path, headers, sentBytes: 0, closed: closeOf(outgoing) };
    this.requests.push(seen);
    const fault = this.#faultFor(method);
    const body = await bytesOf(incoming);
    if (fault?.kind === 'error') return sendError(outgoing, fault.status, fault.code, fault.message, path);
    if (fault?.kind === 'silence') return;
    if (fault?.kind === 'reset') return reset(outgoing);
    if (!isAnnounced(headers['x-amz-checksum-sha256'], body)) {
      const refusal = await this.#refusalOf(incoming);
      if (refusal)
        return pump(refusal, outgoing.writeHead(refusal.statusCode ?? 502, refusal.headers), undefined, () => {});
      return sendError(outgoing, 400, 'BadDigest', 'The SHA256 you specified did not match the calculated checksum.');
    }
    if (headers['if-none-match'] === '*' && (await this.#isThere(path))) {
      return sendError(
        outgoing,
        412,
        'PreconditionFailed',
        'At least one of the pre-conditions you specified did not hold',
      );
    }
    const answer = await this.#forward(incoming, body);
    if (fault?.kind === 'lost-answer') {
      answer.destroy();
      return reset(outgoing);
    }
    if (answer.statusCode === 404 && path.includes('versionId=') && (await textOf(answer)).includes('NoSuchKey')) {
      return sendError(outgoing, 404, 'NoSuchVersion', 'The specified version does not exist.');
    }
    const { ...kept } = answer.headers;
    if (fault?.kind === 'chunked') delete kept['content-length'];
    if (fault?.kind === 'wrong-checksum') kept['x-amz-checksum-crc32'] = 'AAAAAA==';
    outgoing.writeHead(answer.statusCode ?? 502, kept);
    await pump(answer, outgoing, fault, (bytes) => {
      seen.sentBytes += bytes;
    });
  }

  #faultFor(method: string): S3Fault | undefined {
    const rule = this.#rules.find((each) => (each.method ?? method) === method && each.left > 0);
    if (rule) rule.left -= 1;
    return rule?.fault;
  }

  /** radosgw ignores `If-None-Match` in a bucket with versions. */
  async #isThere(path: string): Promise<boolean> {
    const [, Bucket = '', key = ''] = /^\/([^/]+)\/([^?]*)/.exec(path) ?? [];
    const client = await createS3TestClient({ endpoint: this.#target.origin });
    try {
      await client.send(new HeadObjectCommand({ Bucket, Key: decodeURIComponent(key) }));
      return true;
    } catch {
      return false;
    }
  }

  /** The server's answer to the headers alone; `undefined` if it would accept the body. No object is written. */
  #refusalOf({ method, url: path, headers }: IncomingMessage): Promise<IncomingMessage | undefined> {
    return new Promise((resolve, reject) => {
      const { hostname, port } = this.#target;
      const asking = { ...headers, expect: '100-continue' };
      const onward = request({ hostname, port, method, path, headers: asking, agent: false }, (answer) => {
        // The body is never sent, so the request would not end otherwise.
        answer.once('end', () => onward.destroy());
        resolve(answer);
      });
      onward.once('error', reject);
      onward.once('continue', () => {
        onward.destroy();
        resolve(undefined);
      });
      onward.flushHeaders();
    });
  }

  #forward({ method, url: path, headers }: IncomingMessage, body: Buffer): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const { hostname, port } = this.#target;
      const onward = request({ hostname, port, method, path, headers, agent: false }, resolve);
      onward.once('error', reject);
      onward.end(body);
    });
  }
}

/** Starts a proxy in front of the given server. Stop it when the test ends. */
export async function startS3Proxy(target: string): Promise<S3Proxy> {
  const proxy = new S3Proxy(target);
  await proxy.start();
  return proxy;
}

/** Forwards a body as fast as the reader accepts it, until the fault occurs. */
async function pump(
  from: IncomingMessage,
  to: ServerResponse,
  fault: S3Fault | undefined,
  count: (bytes: number) => void,
): Promise<void> {
  const stopAt = fault?.kind === 'stall' || fault?.kind === 'cut' ? fault.after : Number.POSITIVE_INFINITY;
  let sent = 0;
  to.once('close', () => from.destroy());
  for await (const chunk of from as AsyncIterable<Buffer>) {
    const part = chunk.subarray(0, stopAt - sent);
    sent += part.length;
    count(part.length);
    const isTaken = to.write(part);
    if (sent >= stopAt) {
      if (fault?.kind === 'cut') reset(to);
      return;
    }
    if (!isTaken && !(await isDrained(to))) return;
  }
  to.end();
}

function isDrained(to: ServerResponse): Promise<boolean> {
  return new Promise((resolve) => {
    to.once('drain', () => resolve(true));
    to.once('close', () => resolve(false));
  });
}

function closeOf(outgoing: ServerResponse): Promise<'whole' | 'cut'> {
  return new Promise((resolve) => {
    outgoing.once('close', () => resolve(outgoing.writableFinished ? 'whole' : 'cut'));
  });
}

function isAnnounced(announced: string | string[] | undefined, body: Buffer): boolean {
  return announced === undefined || announced === createHash('sha256').update(body).digest('base64');
}

async function bytesOf(stream: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function textOf(stream: AsyncIterable<Buffer>): Promise<string> {
  return (await bytesOf(stream)).toString();
}

function reset(outgoing: ServerResponse): void {
  outgoing.socket?.resetAndDestroy();
}

function sendError(outgoing: ServerResponse, status: number, code: string, message = 'injected', resource = ''): void {
  outgoing.writeHead(status, { 'content-type': 'application/xml' });
  outgoing.end(
    `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>${message}</Message><Resource>${resource}</Resource></Error>`,
  );
}
