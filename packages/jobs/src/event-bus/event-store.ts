import { canonicalJson, fromJson, sha256 } from '@sallyport/core/internal';
import { defineOptions } from '@sallyport/core/options';
import type { Condition, Item, ItemQuery, Key } from '@sallyport/dynamo';
import { absentOrPastTtl, isPastTtl, notPastTtl, ttlAt, ttlOfDeleted } from '@sallyport/dynamo';
import { EVENTBUS_ERRORS as ERRORS } from '../errors.js';
import {
  assertId,
  assertInput,
  flag,
  isoTime,
  oneOf,
  openStore,
  type StoreOptions,
  storeKinds,
  textMap,
  ttlSeconds,
  whole,
} from '../internal/input.js';
import { decodeCursor, encodeCursor, keyPart } from '../internal/keys.js';
import {
  assertSize,
  isoOf,
  newWriteId,
  numberOf,
  readAll,
  type StoreParts,
  stringAt,
  textsOf,
  timeOf,
  toJson,
} from '../internal/rows.js';
import { storeEnd } from '../internal/store-end.js';
import type { CallOptions, EndOptions, Page } from '../ledger/ledger.js';
import { EVENTBUS_TABLE_NAME_ENV, TENANT_TIMESTAMP_INDEX, TENANT_TYPE_INDEX } from '../schema.js';
import type { EventBusStore, EventQuery, PublishInput, StoredEvent } from './event-bus.js';

/** Options of {@link createEventBusStore}. The table is `tableName`, else `FRAMEWORK_EVENTBUS_TABLE_NAME`. */
export interface EventBusStoreOptions extends StoreOptions {}

const PUBLISH_INPUT = [
  'tenantId',
  'type',
  'payload',
  'id',
  'sourceId',
  'publishedAt',
  'correlationId',
  'metadata',
  'tags',
  'ttlSeconds',
];
const MONTH_SECONDS = 30 * 86_400;
const MAX_TAGS = 32;
const VERSION = 1;
/** The attributes without the key. */
const CONTENT = [
  'id',
  'event_type',
  'tenant_id',
  'tenant_type',
  'source_id',
  'payload',
  'payload_sha256',
  'published_at',
  'published_key',
  'correlation_id',
  'metadata',
  'tags',
  'version',
  'expires_at',
];
const QUERY_INPUT = ['tenantId', 'type', 'from', 'to', 'tag', 'order', 'limit', 'cursor'];
const MAX_LIMIT = 1000;
/** Maximum number of index pages to read for one page of events. After that an incomplete page is returned. */
const MAX_PAGES_READ = 10;

const OPTIONS = defineOptions<EventBusStoreOptions>()(storeKinds(EVENTBUS_TABLE_NAME_ENV));

/**
 * Creates an event store in one DynamoDB table. The AWS SDK is loaded at the first call.
 *
 * @throws FrameworkError `app.invalid_configuration` for a wrong option, or if the table name is missing
 * @example await createEventBusStore().publish({ tenantId: 'acme', type: 'InvoicePaid', payload: { id: 7 } });
 */
export function createEventBusStore(options: EventBusStoreOptions = {}): EventBusStore {
  return createEventStore(openStore(OPTIONS.parse(options), ERRORS));
}

/** Creates an event store on any table. */
export function createEventStore(parts: StoreParts): EventBusStore {
  return Object.freeze({
    publish: async (input, options = {}) => publish(parts, input, options),
    query: async (input, options = {}) => queryEvents(parts, input, options),
    warm: async ({ signal } = {}) => parts.store.warm({ signal }),
    async get(input, { signal } = {}) {
      assertInput(input, ['tenantId', 'id', 'consistent'], ERRORS);
      const consistent = flag('consistent', input.consistent, ERRORS);
      const item = await parts.store.get(keyOf(input), { consistent, signal });
      return item && !isPastTtl(item, parts.clock.now().getTime()) ? toEvent(item) : undefined;
    },
    async delete(input, { signal } = {}) {
      assertInput(input, ['tenantId', 'id'], ERRORS);
      return deleteEvent(parts, keyOf(input), signal);
    },
  } satisfies EventBusStore);
}

/**
 * Writes an expired row without content, which DynamoDB deletes for free. Without the row, a retry after a lost response could not
 * detect its first deletion, and would delete an event that was published in the meantime.
 */
async function deleteEvent(parts: StoreParts, key: Key, signal: AbortSignal | undefined): Promise<boolean> {
  const nowMs = await timeOf(parts);
  const condition: Condition = { all: [{ present: 'pk' }, notPastTtl(nowMs)] };
  const changes = { set: { ttl: ttlOfDeleted(nowMs) }, remove: CONTENT };
  const options = { condition, writer: newWriteId(), history: true, signal };
  return (await parts.store.update(key, changes, options)).applied;
}

async function publish(
  parts: StoreParts,
  input: PublishInput,
  options: EndOptions,
): Promise<{ event: StoredEvent; outcome: 'created' | 'duplicate' }> {
  const { store, ids } = parts;
  const nowMs = await timeOf(parts);
  const item = newEvent(input, () => ids.newId(), nowMs);
  options.signal?.throwIfAborted();
  const { pk, sk, ...set } = item;
  const condition = absentOrPastTtl(nowMs);
  // Not a put, which would remove the ids of earlier writes: a lost deletion could not be recognized.
  const remove = CONTENT.filter((name) => (set as Item)[name] === undefined);
  const outcome = await storeEnd(parts, options, ERRORS, (writer, signal) =>
    store.update({ pk, sk }, { set, remove }, { condition, writer, history: true, signal }),
  );
  if (outcome.applied) return { event: toEvent(item), outcome: 'created' };
  if (outcome.item && isSameEvent(outcome.item, item)) return { event: toEvent(outcome.item), outcome: 'duplicate' };
  throw ERRORS.conflict('payload_mismatch');
}

/** True if two rows have the same content. The time, the metadata and the correlation of the first publication are kept. */
function isSameEvent(stored: Item, item: Item): boolean {
  const isSame = (name: string) => stored[name] === item[name];
  if (!['event_type', 'source_id'].every(isSame)) return false;
  // Earlier versions wrote another digest for names that look like integers, so their payload itself is compared.
  if (!isSame('payload_sha256') && digestPayload(stored.payload) !== item.payload_sha256) return false;
  return JSON.stringify(sortedTags(stored)) === JSON.stringify(sortedTags(item));
}

function sortedTags({ tags }: Item): readonly unknown[] {
  return Array.isArray(tags) ? [...tags].sort() : [];
}

function newEvent(input: PublishInput, newId: () => string, nowMs: number): Item & Key & { payload_sha256: string } {
  assertInput(input, PUBLISH_INPUT, ERRORS);
  const { tenantId, type, id = newId() } = input;
  for (const [name, value] of Object.entries({ tenantId, type, id })) assertId(name, value, ERRORS);
  const payload = toJson('payload', input.payload, ERRORS);
  if (payload === undefined) throw ERRORS.invalid('payload must be a JSON value');
  const digest = digestPayload(payload);
  if (digest === undefined) throw ERRORS.invalid('payload must have at most 1,000 levels');
  const publishedAt =
    input.publishedAt === undefined ? isoOf(nowMs) : isoTime('publishedAt', input.publishedAt, ERRORS);
  const expiresAtMs = nowMs + ttlSeconds('ttlSeconds', input.ttlSeconds ?? MONTH_SECONDS, ERRORS) * 1000;
  const item = {
    ...eventKey(tenantId, id),
    id,
    event_type: type,
    tenant_id: tenantId,
    tenant_type: tenantType(tenantId, type),
    source_id: optionalId('sourceId', input.sourceId),
    payload,
    payload_sha256: digest,
    published_at: publishedAt,
    published_key: `${publishedAt}#${keyPart(id)}`,
    correlation_id: optionalId('correlationId', input.correlationId),
    metadata: input.metadata === undefined ? undefined : textMap('metadata', input.metadata, ERRORS),
    tags: input.tags === undefined ? undefined : tagsOf(input.tags),
    version: VERSION,
    expires_at: isoOf(expiresAtMs),
    ttl: ttlAt(expiresAtMs),
  };
  assertSize(item, ERRORS);
  return item;
}

/** The digest of a payload in every runtime: SHA-256 of its canonical JSON. `undefined` for invalid JSON and for too many levels. */
function digestPayload(payload: unknown): string | undefined {
  try {
    return sha256(canonicalJson(JSON.parse(String(payload))));
  } catch {
    return undefined;
  }
}

function optionalId(name: string, value: string | undefined): string | undefined {
  if (value !== undefined) assertId(name, value, ERRORS);
  return value;
}

function tagsOf(tags: readonly string[]): readonly string[] {
  if (!Array.isArray(tags) || tags.length > MAX_TAGS)
    throw ERRORS.invalid(`tags must be a list of at most ${MAX_TAGS}`);
  for (const tag of tags) assertId('tag', tag, ERRORS);
  return [...tags];
}

function keyOf(input: { readonly tenantId: string; readonly id: string }): Key {
  assertId('tenantId', input.tenantId, ERRORS);
  assertId('id', input.id, ERRORS);
  return eventKey(input.tenantId, input.id);
}

function eventKey(tenantId: string, id: string): Key {
  return { pk: `EVT#${keyPart(tenantId)}#${keyPart(id)}`, sk: 'EVT' };
}

function tenantType(tenantId: string, type: string): string {
  return `${keyPart(tenantId)}#${keyPart(type)}`;
}

/** Converts a row. Rows of other versions can lack all attributes except the key. */
function toEvent(item: Item): StoredEvent {
  const { metadata, tags } = item;
  return {
    id: stringAt(item, 'id'),
    type: stringAt(item, 'event_type'),
    tenantId: stringAt(item, 'tenant_id'),
    payload: fromJson(item.payload) ?? null,
    publishedAt: stringAt(item, 'published_at'),
    version: numberOf(item, 'version', 1),
    ...textsOf(item, { sourceId: 'source_id', correlationId: 'correlation_id', expiresAt: 'expires_at' }),
    ...(typeof metadata === 'object' && !Array.isArray(metadata) && { metadata: metadata as Record<string, string> }),
    ...(Array.isArray(tags) && { tags: tags as readonly string[] }),
  };
}

/** Reads one page. Tags are not in the index, so pages of the index are read until there are enough events with the tag. */
async function queryEvents(
  { store, clock }: StoreParts,
  input: EventQuery,
  { signal }: CallOptions,
): Promise<Page<StoredEvent>> {
  const { query, binding, tag, limit } = parseQuery(input);
  let start = startOf(input, query, binding);
  signal?.throwIfAborted();
  const nowMs = clock.now().getTime();
  const events: StoredEvent[] = [];
  for (let read = 0; read < MAX_PAGES_READ; read += 1) {
    const { items: keys, more } = await store.query({ ...query, limit, start }, { signal });
    const found = await readAll(store, keys, { signal });
    for (const key of keys) {
      if (events.length === limit) return { items: events, cursor: cursorBehind(start, binding) };
      start = key;
      const item = found.get(stringAt(key, 'pk'));
      if (item?.tenant_id !== input.tenantId || isPastTtl(item, nowMs)) continue;
      const event = toEvent(item);
      if (tag === undefined || event.tags?.includes(tag)) events.push(event);
    }
    if (!more) return { items: events };
    if (events.length === limit) break;
  }
  return { items: events, cursor: cursorBehind(start, binding) };
}

function parseQuery(input: EventQuery) {
  assertInput(input, QUERY_INPUT, ERRORS);
  const { tenantId, type, tag } = input;
  assertId('tenantId', tenantId, ERRORS);
  if (type !== undefined) assertId('type', type, ERRORS);
  if (tag !== undefined) assertId('tag', tag, ERRORS);
  // In byte order `$` comes after `#`, which follows the time in every published key.
  const from = input.from === undefined ? '0' : `${isoTime('from', input.from, ERRORS)}#`;
  const to = input.to === undefined ? ':' : `${isoTime('to', input.to, ERRORS)}$`;
  const order = oneOf('order', input.order ?? 'newest', ['newest', 'oldest'], ERRORS);
  const limit = whole('limit', input.limit ?? 100, 1, MAX_LIMIT, ERRORS);
  const sort = { name: 'published_key', from, to: to < from ? from : to };
  const query = {
    ...(type === undefined
      ? { index: TENANT_TIMESTAMP_INDEX, partition: { name: 'tenant_id', value: tenantId } }
      : { index: TENANT_TYPE_INDEX, partition: { name: 'tenant_type', value: tenantType(tenantId, type) } }),
    sort,
    newestFirst: order === 'newest',
  } satisfies ItemQuery;
  return { query, tag, limit, binding: ['events', tenantId, type, tag, from, to, order] };
}

/** DynamoDB accepts only a position within the bounds of the query. */
type BoundQuery = ReturnType<typeof parseQuery>['query'];

function startOf({ cursor }: EventQuery, { partition, sort }: BoundQuery, binding: unknown[]): Item | undefined {
  const position = decodeCursor(cursor, binding, ['pk', 'published_key'], ERRORS);
  if (!position) return undefined;
  const { pk = '', published_key = '' } = position;
  if (published_key < sort.from || published_key > sort.to) throw ERRORS.foreignCursor();
  return { pk, sk: 'EVT', published_key, [partition.name]: partition.value };
}

function cursorBehind(position: Item | undefined, binding: readonly unknown[]): string {
  const key = position ?? {};
  return encodeCursor(binding, { pk: stringAt(key, 'pk'), published_key: stringAt(key, 'published_key') });
}
