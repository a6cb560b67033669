import type { ServerResponse } from 'node:http';
import { type HttpDoorKind, remapHeaders } from '@sallyport/testkit/events';
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
  readonly #host: DoorHost;
  readonly #kind: HttpDoorKind;
  readonly #response: ServerResponse;
  readonly #shown: Buffer[] = [];
  #head: Buffer | undefined;
  #shownBytes = 0;
  #cut = false;

  constructor(host: DoorHost, kind: HttpDoorKind, response: ServerResponse) {
    this.#host = host;
    this.#kind = kind;
    this.#response = response;
  }

  head(contentType: string): void {
    this.hasBegun = true;
    if (contentType === PRELUDE_TYPE) this.#head = Buffer.alloc(0);
    else this.#open({ headers: { 'content-type': contentType } });
  }

  chunk(bytes: Buffer): Promise<void> | undefined {
    if (this.#head === undefined) return this.#send(bytes);
    const head = Buffer.concat([this.#head, bytes]);
    const end = head.indexOf(DELIMITER);
    this.#head = end < 0 ? head : undefined;
    if (end < 0) return undefined;
    this.#open(parsePrelude(head.subarray(0, end)));
    return head.length > end + DELIMITER.length ? this.#send(head.subarray(end + DELIMITER.length)) : undefined;
  }

  end(error?: FunctionError): void {
    if (!this.#response.headersSent) {
      this.hasBegun = true;
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
  }

  #open({ statusCode = 200, headers = {}, multiValueHeaders = {}, cookies = [] }: Prelude): void {
    const lists = Object.entries(multiValueHeaders).flatMap(([name, values]) =>
      values.map((value) => [name, value] as const),
    );
    const pairs = [...Object.entries(headers), ...lists, ...cookies.map((cookie) => ['set-cookie', cookie] as const)];
    writeHead(this.#response, statusCode, remapHeaders(this.#kind, pairs));
    this.#response.flushHeaders();
  }

  /** @returns a promise if the client reads slower than the function writes */
  #send(bytes: Buffer): Promise<void> | undefined {
    const response = this.#response;
    if (this.#shownBytes < MAX_SHOWN) this.#shown.push(bytes.subarray(0, MAX_SHOWN - this.#shownBytes));
    this.#shownBytes += bytes.length;
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

function parsePrelude(json: Buffer): Prelude {
  try {
    return JSON.parse(json.toString('utf8')) as Prelude;
  } catch {
    return { statusCode: 502 };
  }
}
