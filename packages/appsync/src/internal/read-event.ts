import type { AppSyncContext, Context, MultiMap, SourceProvenance } from '@sallyport/core';
import {
  appendHeader,
  type ContextTransport,
  createMap,
  IncomingRequest,
  type Members,
  membersOf,
  otherCopy,
  RESERVED_PREFIX,
  type RequestSource,
  registerCopy,
  stateOf,
  stringOf,
  unknownProvenance,
} from '@sallyport/core/internal';
import { lookupHeader, rawHeaders } from '@sallyport/http/internal';
import { VERSION } from '../internal/version.js';

registerCopy('@sallyport/appsync', VERSION, new Error());

const NO_VALUES: readonly string[] = [];
/** The default content type of a resolver event's body. */
const JSON_TYPE: readonly string[] = ['application/json'];
/** Characters that a path would have to escape; GraphQL names do not contain them. */
const UNFIT_FOR_PATH = /[/?%\s]/;

/** Type and field in an event. */
export interface FieldNames {
  readonly parentType: string;
  readonly field: string;
}

/** The names in an event, trimmed; `''` for a value that is not a string. */
export function namesOf(event: unknown): FieldNames {
  const info = membersOf(membersOf(event).info);
  return { parentType: stringOf(info.parentTypeName).trim(), field: stringOf(info.fieldName).trim() };
}

/** `GET` for queries and subscriptions, `POST` for mutations and every other parent type. */
export function methodOf(parentType: string): 'GET' | 'POST' {
  return parentType === 'Query' || parentType === 'Subscription' ? 'GET' : 'POST';
}

/** True if an event is a resolver event whose field can be a path and whose arguments can be a body. */
export function isResolverEvent(event: unknown, { parentType, field }: FieldNames): boolean {
  const fields = membersOf(event);
  if (!Object.hasOwn(fields, 'arguments')) return false;
  if (parentType === '' || field === '' || UNFIT_FOR_PATH.test(field)) return false;
  const args = fields.arguments;
  return args === null || (typeof args === 'object' && !Array.isArray(args));
}

/** The synthesized request of an event. */
export function toRequest(event: unknown, { parentType, field }: FieldNames): IncomingRequest {
  const path = `/${field}`;
  return new IncomingRequest(methodOf(parentType), path, path, new ResolverSource(membersOf(event)));
}

/** The arguments are the body, serialized as JSON when the body is read; the forwarded headers are the headers. */
class ResolverSource implements RequestSource {
  readonly isBase64 = false;
  readonly #event: Members;
  #headers: MultiMap | undefined;

  constructor(event: Members) {
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
    const values = lookupHeader(rawHeaders(membersOf(this.#event.request).headers), name);
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

function readHeaders(event: Members): MultiMap {
  const headers: MultiMap = createMap();
  const sent = membersOf(rawHeaders(membersOf(event.request).headers));
  for (const key of Object.keys(sent).sort()) appendHeader(headers, key, sent[key]);
  headers['content-type'] ??= [...JSON_TYPE];
  return headers;
}

const TRIGGER_TYPE_KEY = `${RESERVED_PREFIX}trigger_type`;
const APPSYNC_PREFIX = `${RESERVED_PREFIX}appsync.`;

/** The metadata keys without their prefix, and functions that return their values. The keys are a wire contract between runtimes. */
const METADATA: Readonly<Record<string, (context: AppSyncContext, event: unknown) => unknown>> = {
  field_name: (_, event) => membersOf(membersOf(event).info).fieldName,
  parent_type_name: (_, event) => membersOf(membersOf(event).info).parentTypeName,
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
    return copyOf(membersOf(this.#event).arguments);
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
  const fields = membersOf(event);
  const info = membersOf(fields.info);
  const { selectionSetList } = info;
  return {
    fieldName: stringOf(info.fieldName),
    parentTypeName: stringOf(info.parentTypeName),
    arguments: copyOf(fields.arguments),
    identity: fields.identity ?? {},
    source: copyOf(fields.source),
    variables: copyOf(info.variables),
    prev: fields.prev ?? null,
    stash: copyOf(fields.stash),
    requestHeaders: copyOf(membersOf(fields.request).headers),
    selectionSetList: Array.isArray(selectionSetList) ? [...selectionSetList] : [],
    selectionSetGraphQL: stringOf(info.selectionSetGraphQL),
    rawEvent: event,
  };
}

function copyOf(value: unknown): Record<string, unknown> {
  return { ...membersOf(value) };
}
