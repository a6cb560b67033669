import type { LambdaContext, MultiMap, RequestInput, Response, SourceProvenance } from '@sallyport/core';
import {
  type DoorRequest,
  type DoorTraits,
  parseProvenance,
  type RequestSource,
  toHeaderMap,
} from '@sallyport/core/internal';
import type { HttpSurface } from '../surface/http-surface.js';
import { asIs, lookupHeader, mapQuery, parseQuery, type RawHeaders, rawHeaders } from './internal/event.js';

/** A request without a front door. */
class DirectSource implements RequestSource {
  readonly rawBody: string | Uint8Array;
  readonly isBase64: boolean;
  readonly invalidBody: string | undefined;
  readonly #input: RequestInput;
  readonly #headers: RawHeaders | undefined;

  constructor(input: RequestInput) {
    const body: unknown = input.body ?? '';
    const valid = typeof body === 'string' || body instanceof Uint8Array;
    this.rawBody = valid ? body : '';
    this.isBase64 = input.isBase64 === true;
    this.invalidBody = valid ? undefined : 'invalid body';
    this.#input = input;
    this.#headers = rawHeaders(input.headers);
  }

  headers(): MultiMap {
    return toHeaderMap(this.#headers);
  }

  header(name: string): readonly string[] {
    return lookupHeader(this.#headers, name);
  }

  query(): MultiMap {
    const { query, path } = this.#input;
    if (query) return mapQuery(query, undefined, asIs);
    const question = path.indexOf('?');
    return parseQuery(question < 0 ? '' : path.slice(question + 1));
  }

  cookieValues(): readonly string[] {
    return this.header('cookie');
  }

  provenance(): SourceProvenance {
    return parseProvenance(this.#input.sourceProvenance);
  }
}

const TRAITS: DoorTraits = { maxAnswerBytes: Number.POSITIVE_INFINITY, streams: 'pass', measure: undefined };

/** Reads a request of `serve`. A base64 body can also be passed as the bytes of the base64 string. */
function readDirect(input: RequestInput): DoorRequest {
  const method = typeof input.method === 'string' ? input.method : '';
  const path = typeof input.path === 'string' ? input.path : '';
  const { body, isBase64 } = input;
  const text = isBase64 === true && body instanceof Uint8Array ? Buffer.from(body).toString('latin1') : body;
  const source = new DirectSource({ ...input, path, ...(text === undefined ? {} : { body: text }) });
  return { method, path, rawPath: path, source };
}

/** Runs a request without any front door. The caller must read a stream in the answer. */
export async function serveDirect(
  surface: Pick<HttpSurface, 'run'>,
  request: RequestInput,
  lambdaContext?: LambdaContext,
): Promise<Response> {
  return surface.run(readDirect(request), TRAITS, 'direct', undefined, lambdaContext).response;
}
