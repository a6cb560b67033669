import type { Context, Handler, SecurePrincipal } from '@sallyport/core';
import { base64Size } from '@sallyport/core';
import { OutgoingResponse, stateOf } from '@sallyport/core/pipeline';
import type { Core } from '../../server/internal/core.js';
import { serveExchange } from './engine.js';
import { type Exchange, LONGEST_INVOCATION_MS, type Reply } from './exchange.js';
import type { OriginCheck } from './origin.js';

/** The engine as a handler of the framework's pipeline. */
export function createHandler(core: Core, isAllowed: OriginCheck): Handler {
  return async (ctx) => toResponse(await serveExchange(core, new ContextExchange(ctx), isAllowed));
}

function toResponse({ status, headers, body }: Reply): OutgoingResponse {
  const lists: Record<string, string[]> = Object.create(null);
  for (const name of Object.keys(headers)) lists[name] = [headers[name] ?? ''];
  const isText = typeof body === 'string';
  const response = new OutgoingResponse(status, lists, isText ? body : '');
  if (!isText) response.bodyStream = body;
  return response;
}

/** A context of the pipeline as the engine reads it; everything is a view. */
class ContextExchange implements Exchange {
  readonly http: Context;
  readonly method: string;
  readonly deadline: number;
  #principal: SecurePrincipal | null | undefined;
  #requestId: string | undefined;

  constructor(http: Context) {
    this.http = http;
    this.method = http.request.method;
    const { remainingMs } = http;
    this.deadline = http.now().getTime() + (remainingMs > 0 ? remainingMs : LONGEST_INVOCATION_MS);
  }

  header(name: string): readonly string[] {
    return this.http.headerAll(name);
  }

  get bodyBytes(): number {
    const { rawBody, isBase64 } = stateOf(this.http).request.source;
    if (typeof rawBody !== 'string') return rawBody.length;
    return isBase64 ? Math.max(base64Size(rawBody), 0) : Buffer.byteLength(rawBody, 'utf8');
  }

  bodyText(): string {
    return this.http.bodyText();
  }

  get principal(): SecurePrincipal | null {
    if (this.#principal === undefined) this.#principal = this.http.securePrincipal();
    return this.#principal;
  }

  get tenantId(): string {
    return this.http.tenantId;
  }

  get signal(): AbortSignal {
    return this.http.signal;
  }

  get canStream(): boolean {
    return this.http.canStream;
  }

  get requestId(): string {
    this.#requestId ??= this.http.requestId || this.http.newId();
    return this.#requestId;
  }

  get clock() {
    return stateOf(this.http).runtime.clock;
  }

  get log() {
    return this.http.log;
  }
}
