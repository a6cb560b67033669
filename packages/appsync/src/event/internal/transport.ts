import type { AppSyncContext } from '@sallyport/core';
import { type ContextTransport, RESERVED_PREFIX } from '@sallyport/core/pipeline';
import { fieldsOf, textOf } from './read-event.js';

type Fields = Record<string, unknown>;

const TRIGGER_TYPE_KEY = `${RESERVED_PREFIX}trigger_type`;
const APPSYNC_PREFIX = `${RESERVED_PREFIX}appsync.`;

/** The metadata keys behind the prefix, a wire contract between runtimes, and where their values stand. */
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

/** Binds a resolver event to its context; nothing is copied until somebody asks. */
export class AppSyncTransport implements ContextTransport {
  readonly #event: unknown;
  #bound: AppSyncContext | undefined;

  constructor(event: unknown) {
    this.#event = event;
  }

  appSync(): AppSyncContext {
    return toAppSyncContext(this.#event);
  }

  metadata(key: string): unknown {
    if (key === TRIGGER_TYPE_KEY) return 'appsync';
    const name = key.startsWith(APPSYNC_PREFIX) ? key.slice(APPSYNC_PREFIX.length) : '';
    if (!Object.hasOwn(METADATA, name)) return undefined;
    this.#bound ??= toAppSyncContext(this.#event);
    return METADATA[name]?.(this.#bound, this.#event);
  }
}

/** One-level copies of the maps; nested values, identity and the event itself by reference. */
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

function copyOf(value: unknown): Fields {
  return { ...fieldsOf(value) };
}
