import { createMap, type MultiMap, type SourceProvenance, unknownProvenance } from '@sallyport/core';
import { appendHeader, IncomingRequest, type RequestSource } from '@sallyport/core/pipeline';
import { lookupHeader, rawHeaders } from '@sallyport/http/pipeline';

type Fields = Readonly<Record<string, unknown>>;

const NOTHING: Fields = Object.freeze(createMap<unknown>());
const NO_VALUES: readonly string[] = [];
/** What a resolver event's body is when the client's headers do not say. */
const JSON_TYPE: readonly string[] = ['application/json'];
/** Characters that a path would have to escape; no GraphQL name holds them. */
const UNFIT_FOR_PATH = /[/?%\s]/;

/** An object to read from, whatever the event holds there. */
export function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : NOTHING;
}

/** What an event asks for. */
export interface FieldNames {
  readonly parentType: string;
  readonly field: string;
}

/** The names of an event, trimmed; `''` for what is no string. */
export function namesOf(event: unknown): FieldNames {
  const info = fieldsOf(fieldsOf(event).info);
  return { parentType: textOf(info.parentTypeName).trim(), field: textOf(info.fieldName).trim() };
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** `GET` for what reads, `POST` for mutations and every other parent type. */
export function methodOf(parentType: string): 'GET' | 'POST' {
  return parentType === 'Query' || parentType === 'Subscription' ? 'GET' : 'POST';
}

/** Whether an event is a resolver event whose field can be a path and whose arguments can be a body. */
export function isResolverEvent(event: unknown, { parentType, field }: FieldNames): boolean {
  const fields = fieldsOf(event);
  if (!Object.hasOwn(fields, 'arguments')) return false;
  if (parentType === '' || field === '' || UNFIT_FOR_PATH.test(field)) return false;
  const args = fields.arguments;
  return args === null || (typeof args === 'object' && !Array.isArray(args));
}

/** The synthesized request of an event. */
export function toRequest(event: unknown, { parentType, field }: FieldNames): IncomingRequest {
  const path = `/${field}`;
  return new IncomingRequest(methodOf(parentType), path, path, new ResolverSource(fieldsOf(event)));
}

/** Arguments are the body, made when somebody reads it; the forwarded headers are the headers. */
class ResolverSource implements RequestSource {
  readonly isBase64 = false;
  readonly #event: Fields;
  #headers: MultiMap | undefined;

  constructor(event: Fields) {
    this.#event = event;
  }

  get rawBody(): string {
    const args = this.#event.arguments;
    return typeof args === 'object' && args !== null ? JSON.stringify(args) : '';
  }

  headers(): MultiMap {
    this.#headers ??= readHeaders(this.#event);
    return this.#headers;
  }

  header(name: string): readonly string[] {
    if (this.#headers) return this.#headers[name] ?? NO_VALUES;
    const values = lookupHeader(rawHeaders(fieldsOf(this.#event.request).headers), name);
    return values.length === 0 && name === 'content-type' ? JSON_TYPE : values;
  }

  query(): MultiMap {
    return createMap();
  }

  cookieValues(): readonly string[] {
    return this.header('cookie');
  }

  provenance(): SourceProvenance {
    return unknownProvenance();
  }
}

function readHeaders(event: Fields): MultiMap {
  const headers: MultiMap = createMap();
  const sent = rawHeaders(fieldsOf(event.request).headers) ?? NOTHING;
  for (const key of Object.keys(sent).sort()) appendHeader(headers, key, sent[key]);
  headers['content-type'] ??= [...JSON_TYPE];
  return headers;
}
