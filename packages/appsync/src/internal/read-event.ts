import type { AppSyncContext, Context, MultiMap, SourceProvenance } from '@sallyport/core';
import {
  appendHeader,
  type ContextTransport,
  createMap,
  IncomingRequest,
  otherCopy,
  RESERVED_PREFIX,
  type RequestSource,
  registerCopy,
  stateOf,
  unknownProvenance,
} from '@sallyport/core/pipeline';
import { lookupHeader, rawHeaders } from '@sallyport/http/pipeline';
import { VERSION } from '../internal/version.js';

registerCopy('@sallyport/appsync', VERSION, new Error());

type Fields = Readonly<Record<string, unknown>>;

const NOTHING: Fields = Object.freeze(createMap<unknown>());
const NO_VALUES: readonly string[] = [];
/** The default content type of a resolver event's body. */
const JSON_TYPE: readonly string[] = ['application/json'];
/** Characters that a path would have to escape; GraphQL names do not contain them. */
const UNFIT_FOR_PATH = /[/?%\s]/;

/** The members of an object; empty for any other value. */
function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : NOTHING;
}

/** Type and field in an event. */
export interface FieldNames {
  readonly parentType: string;
  readonly field: string;
}

/** The names in an event, trimmed; `''` for a value that is not a string. */
export function namesOf(event: unknown): FieldNames {
  const info = fieldsOf(fieldsOf(event).info);
  return { parentType: textOf(info.parentTypeName).trim(), field: textOf(info.fieldName).trim() };
}

/** A string unchanged, `''` for any other value. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** `GET` for queries and subscriptions, `POST` for mutations and every other parent type. */
export function methodOf(parentType: string): 'GET' | 'POST' {
  return parentType === 'Query' || parentType === 'Subscription' ? 'GET' : 'POST';
}

/** True if an event is a resolver event whose field can be a path and whose arguments can be a body. */
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

/** The arguments are the body, serialized as JSON when the body is read; the forwarded headers are the headers. */
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

const TRIGGER_TYPE_KEY = `${RESERVED_PREFIX}trigger_type`;
const APPSYNC_PREFIX = `${RESERVED_PREFIX}appsync.`;

/** The metadata keys without their prefix, and functions that return their values. The keys are a wire contract between runtimes. */
const METADATA: Readonly<Record<string, (context: AppSyncContext, event: unknown) => unknown>> = {
  field_name: (_, event) => fieldsOf(fieldsOf(event).info).fieldName,
  parent_type_name: (_, event) => fieldsOf(fieldsOf(event).info).parentTypeName,
  arguments: (context) => context.arguments,
  identity: (context) => context.identity,
  source: (context) => context.source,
  variables: (context) => context.variables,
  prev: (context) => context.prev,
  stash: (context) => context.stash,
  request_headers: (context) => context.requestHeaders,
  raw_event: (context) => context.rawEvent,
};

/** Key of the method that returns the arguments, the same in every copy of this package. */
const ARGUMENTS: unique symbol = Symbol.for('sallyport.appsync.transport/1') as never;

/** Provides the resolver event of a context; nothing is copied before it is read. */
export class AppSyncTransport implements ContextTransport {
  readonly #event: unknown;
  #bound: AppSyncContext | undefined;

  constructor(event: unknown) {
    this.#event = event;
  }

  appSync(): AppSyncContext {
    return toAppSyncContext(this.#event);
  }

  /** The same arguments as in `appSync()`, without a copy of the other members. */
  [ARGUMENTS](): Record<string, unknown> {
    return copyOf(fieldsOf(this.#event).arguments);
  }

  metadata(key: string): unknown {
    if (key === TRIGGER_TYPE_KEY) return 'appsync';
    const name = key.startsWith(APPSYNC_PREFIX) ? key.slice(APPSYNC_PREFIX.length) : '';
    if (!Object.hasOwn(METADATA, name)) return undefined;
    this.#bound ??= toAppSyncContext(this.#event);
    return METADATA[name]?.(this.#bound, this.#event);
  }
}

/**
 * The arguments of the field that an invocation resolves; `{}` for an invocation of another kind.
 *
 * @throws FrameworkError `app.internal` if the event of the field is in an incompatible copy of this package
 */
export function argumentsOf(ctx: Context): Record<string, unknown> {
  const { transport, triggerKind } = stateOf(ctx);
  const known = transport as Partial<AppSyncTransport> | undefined;
  if (typeof known?.[ARGUMENTS] === 'function') return known[ARGUMENTS]();
  if (triggerKind === 'appsync' || known?.appSync) throw otherCopy('@sallyport/appsync', 'the event of the field');
  return {};
}

/** One-level copies of the maps; nested values, identity and the event by reference. */
function toAppSyncContext(event: unknown): AppSyncContext {
  const fields = fieldsOf(event);
  const info = fieldsOf(fields.info);
  const { selectionSetList } = info;
  return {
    fieldName: textOf(info.fieldName),
    parentTypeName: textOf(info.parentTypeName),
    arguments: copyOf(fields.arguments),
    identity: fields.identity ?? {},
    source: copyOf(fields.source),
    variables: copyOf(info.variables),
    prev: fields.prev ?? null,
    stash: copyOf(fields.stash),
    requestHeaders: copyOf(fieldsOf(fields.request).headers),
    selectionSetList: Array.isArray(selectionSetList) ? [...selectionSetList] : [],
    selectionSetGraphQL: textOf(info.selectionSetGraphQL),
    rawEvent: event,
  };
}

function copyOf(value: unknown): Record<string, unknown> {
  return { ...fieldsOf(value) };
}
