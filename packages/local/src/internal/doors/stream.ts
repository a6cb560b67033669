import type { ServerResponse } from 'node:http';
import { isPlainObject } from '@sallyport/core/internal';
import {
  type HttpDoorKind,
  remapHeaders,
  STREAM_PROFILES,
  type StreamingDoorKind,
  streamDifferences,
} from '@sallyport/testkit/events';
import { recordDifferences } from '../differences/record.js';
import type { FunctionError, StreamSink } from '../runtime/invoker.js';
import { readable } from './door-journal.js';
import { writeHead } from './head.js';
import type { DoorHost } from './request.js';

const PRELUDE_TYPE = 'application/vnd.awslambda.http-integration-response';
const DELIMITER = Buffer.alloc(8);
/** Maximum bytes of a streamed body that the page shows. */
const MAX_SHOWN = 65_536;

interface Prelude {
  readonly statusCode?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly multiValueHeaders?: Readonly<Record<string, readonly string[]>>;
  readonly cookies?: readonly string[];
}

/** Forwards a streamed response while it is written: status and headers first, then each chunk. */
export class HttpStream implements StreamSink {
  hasBegun = false;
  /** False if the function may not stream: then the time limit of its door applies. */
  isExpected: boolean;
  readonly #host: DoorHost;
  readonly #kind: HttpDoorKind;
  readonly #response: ServerResponse;
  readonly #shown: Buffer[] = [];
  /** The bytes of an incomplete prelude; `undefined` without a prelude, and after it. */
  #head: Buffer | undefined;
  #contentType = 'application/octet-stream';
  #bytes = 0;
  #cut = false;
  /** Status and headers as the function wrote them; `undefined` if the response begins with its body. */
  #prelude: unknown;
  #preludeBytes = 0;
  readonly #startedAt: number;
  #lastAt: number | undefined;
  #longestPauseMs = 0;

  constructor(host: DoorHost, kind: HttpDoorKind, response: ServerResponse) {
    this.#host = host;
    this.#kind = kind;
    this.#response = response;
    this.#startedAt = host.clock.monotonicMs();
    this.isExpected = host.inspection().streaming;
  }

  expect(): void {
    this.isExpected = true;
  }

  head(contentType: string): void {
    this.hasBegun = true;
    if (contentType === PRELUDE_TYPE) this.#head = Buffer.alloc(0);
    else this.#contentType = contentType;
  }

  chunk(bytes: Buffer): Promise<void> | undefined {
    if (this.#head === undefined) {
      this.#openPlain();
      return this.#send(bytes);
    }
    const head = Buffer.concat([this.#head, bytes]);
    const end = head.indexOf(DELIMITER);
    this.#head = end < 0 ? head : undefined;
    if (end < 0) return undefined;
    this.#preludeBytes = end + DELIMITER.length;
    this.#prelude = parsePrelude(head.subarray(0, end));
    this.#open(isValid(this.#prelude) ? this.#prelude : { statusCode: 502 });
    return head.length > end + DELIMITER.length ? this.#send(head.subarray(end + DELIMITER.length)) : undefined;
  }

  /**
   * The runtime client writes the prelude with the first `write`: after `end('text')` alone AWS answers 502, after `end()` alone 200 without
   * the function's status and headers.
   *
   * @see https://github.com/aws/aws-lambda-nodejs-runtime-interface-client/issues/97
   */
  end(error?: FunctionError): void {
    // The door answers for a function that fails before its response.
    if (!this.hasBegun) return;
    const isEmpty = this.#head === undefined || this.#head.length === 0;
    // An error before the first byte can still have a status.
    if (!error && isEmpty) this.#openPlain();
    if (!this.#response.headersSent) {
      this.#response.writeHead(502, { 'content-type': 'text/plain' }).end('Internal Server Error');
    } else if (error) {
      // A client can detect that a chunked response without its last chunk is incomplete.
      this.#cut = true;
      this.#response.destroy();
    } else this.#response.end();
  }

  /** Records the response that the client received. */
  report(id: number): void {
    if (!this.hasBegun) return;
    const { statusCode: status } = this.#response;
    const headers = Object.entries(this.#response.getHeaders()).map(([name, value]): [string, string] => [
      name,
      String(value),
    ]);
    const body = readable(Buffer.concat(this.#shown));
    const client = { status, headers, body, streamed: true, cut: this.#cut };
    this.#host.journal.update(id, { client, summary: this.#cut ? `${status} cut` : String(status) });
    this.#recordDifferences(id);
  }

  #recordDifferences(id: number): void {
    if (!isStreaming(this.#kind)) return;
    const found = streamDifferences(this.#kind, {
      prelude: this.#prelude,
      preludeBytes: this.#preludeBytes,
      bytes: this.#bytes,
      durationMs: this.#host.clock.monotonicMs() - this.#startedAt,
      longestPauseMs: this.#longestPauseMs,
      timeoutMs: this.#host.config.timeoutMs,
    });
    recordDifferences(this.#host, id, found);
  }

  /** Begins a response without a prelude. */
  #openPlain(): void {
    if (!this.#response.headersSent) this.#open({ headers: { 'content-type': this.#contentType } });
  }

  #open({ statusCode = 200, headers = {}, multiValueHeaders = {}, cookies = [] }: Prelude): void {
    const hasLists = isStreaming(this.#kind) && STREAM_PROFILES[this.#kind].members.includes('multiValueHeaders');
    const lists = Object.entries(hasLists ? multiValueHeaders : {}).flatMap(([name, values]) =>
      values.map((value) => [name, value] as const),
    );
    const pairs = [...Object.entries(headers), ...lists, ...cookies.map((cookie) => ['set-cookie', cookie] as const)];
    writeHead(this.#response, statusCode, remapHeaders(this.#kind, pairs));
    this.#response.flushHeaders();
  }

  /** @returns a promise if the client reads slower than the function writes */
  #send(bytes: Buffer): Promise<void> | undefined {
    const response = this.#response;
    const now = this.#host.clock.monotonicMs();
    this.#longestPauseMs = Math.max(this.#longestPauseMs, now - (this.#lastAt ?? now));
    this.#lastAt = now;
    if (this.#bytes < MAX_SHOWN) this.#shown.push(bytes.subarray(0, MAX_SHOWN - this.#bytes));
    this.#bytes += bytes.length;
    if (response.write(bytes) || response.destroyed) return undefined;
    return new Promise((resolve) => {
      const ready = () => {
        response.off('drain', ready).off('close', ready);
        resolve();
      };
      response.on('drain', ready).on('close', ready);
    });
  }
}

function isStreaming(kind: HttpDoorKind): kind is StreamingDoorKind {
  return kind in STREAM_PROFILES;
}

/** The prelude as the function wrote it; the text if it is not JSON. */
function parsePrelude(json: Buffer): unknown {
  const text = json.toString('utf8');
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function isValid(prelude: unknown): prelude is Prelude {
  if (!isPlainObject(prelude)) return false;
  const { statusCode = 200 } = prelude;
  return Number.isInteger(statusCode) && Number(statusCode) >= 100 && Number(statusCode) <= 599;
}
