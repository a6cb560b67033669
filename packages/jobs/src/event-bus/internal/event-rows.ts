import type { Item, ItemQuery, ItemTable, Key } from '@sallyport/dynamo';
import { isPastTtl } from '@sallyport/dynamo';
import type { CallOptions, Page } from '../../calls.js';
import { EVENTBUS_ERRORS as ERRORS } from '../../errors.js';
import { decodeCursor, encodeCursor } from '../../internal/cursor.js';
import { assertId, assertInput, isoTime, oneOf, whole } from '../../internal/input.js';
import { keyPart } from '../../internal/keys.js';
import { fromJson, numberOf, type StoreParts, textOf, textsOf } from '../../internal/rows.js';
import { TENANT_TIMESTAMP_INDEX, TENANT_TYPE_INDEX } from '../../schema.js';
import type { EventQuery, StoredEvent } from '../event-bus.js';

const INPUT = ['tenantId', 'type', 'from', 'to', 'tag', 'order', 'limit', 'cursor'];
const MAX_LIMIT = 1000;
/** Pages of the index that are read for one page of events, at most. After that the page is returned although it is not full. */
const MAX_PAGES_READ = 10;
const BATCH = 100;

export function eventKey(tenantId: string, id: string): Key {
  return { pk: `EVT#${keyPart(tenantId)}#${keyPart(id)}`, sk: 'EVT' };
}

export function tenantType(tenantId: string, type: string): string {
  return `${keyPart(tenantId)}#${keyPart(type)}`;
}

export function publishedKey(publishedAt: string, id: string): string {
  return `${publishedAt}#${keyPart(id)}`;
}

/** Rows of other versions may have no attribute but their key. */
export function toEvent(item: Item): StoredEvent {
  const { metadata, tags } = item;
  return {
    id: textOf(item, 'id'),
    type: textOf(item, 'event_type'),
    tenantId: textOf(item, 'tenant_id'),
    payload: fromJson(item.payload) ?? null,
    publishedAt: textOf(item, 'published_at'),
    version: numberOf(item, 'version', 1),
    ...textsOf(item, { sourceId: 'source_id', correlationId: 'correlation_id', expiresAt: 'expires_at' }),
    ...(typeof metadata === 'object' && !Array.isArray(metadata) && { metadata: metadata as Record<string, string> }),
    ...(Array.isArray(tags) && { tags: tags as readonly string[] }),
  };
}

/** One page. Tags are not in the index, so pages of it are read until there are enough events with the tag. */
export async function queryEvents(
  { store, clock }: StoreParts,
  input: EventQuery,
  { signal }: CallOptions,
): Promise<Page<StoredEvent>> {
  const { query, binding, tag, limit } = parse(input);
  let start = startOf(input, query, binding);
  signal?.throwIfAborted();
  const nowMs = clock.now().getTime();
  const events: StoredEvent[] = [];
  for (let read = 0; read < MAX_PAGES_READ; read += 1) {
    const { items: keys, more } = await store.query({ ...query, limit, start }, { signal });
    const found = await itemsOf(store, keys, signal);
    for (const key of keys) {
      if (events.length === limit) return { items: events, cursor: cursorBehind(start, binding) };
      start = key;
      const item = found.get(textOf(key, 'pk'));
      if (item?.tenant_id !== input.tenantId || isPastTtl(item, nowMs)) continue;
      const event = toEvent(item);
      if (tag === undefined || event.tags?.includes(tag)) events.push(event);
    }
    if (!more) return { items: events };
    if (events.length === limit) break;
  }
  return { items: events, cursor: cursorBehind(start, binding) };
}

function parse(input: EventQuery) {
  assertInput(input, INPUT, ERRORS);
  const { tenantId, type, tag } = input;
  assertId('tenantId', tenantId, ERRORS);
  if (type !== undefined) assertId('type', type, ERRORS);
  if (tag !== undefined) assertId('tag', tag, ERRORS);
  // `$` follows `#`, which ends the time of every published key.
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
type BoundQuery = ReturnType<typeof parse>['query'];

function startOf({ cursor }: EventQuery, { partition, sort }: BoundQuery, binding: unknown[]): Item | undefined {
  const position = decodeCursor(cursor, binding, ['pk', 'published_key'], ERRORS);
  if (!position) return undefined;
  const { pk = '', published_key = '' } = position;
  if (published_key < sort.from || published_key > sort.to) {
    throw ERRORS.invalid('cursor does not belong to this query');
  }
  return { pk, sk: 'EVT', published_key, [partition.name]: partition.value };
}

async function itemsOf(store: ItemTable, keys: readonly Item[], signal: AbortSignal | undefined) {
  const found = new Map<string, Item>();
  for (let index = 0; index < keys.length; index += BATCH) {
    const batch = keys.slice(index, index + BATCH).map(toKey);
    for (const item of await store.getMany(batch, { signal })) found.set(textOf(item, 'pk'), item);
  }
  return found;
}

function toKey(item: Item): Key {
  return { pk: textOf(item, 'pk'), sk: textOf(item, 'sk') };
}

function cursorBehind(position: Item | undefined, binding: readonly unknown[]): string {
  const key = position ?? {};
  return encodeCursor(binding, { pk: textOf(key, 'pk'), published_key: textOf(key, 'published_key') });
}
