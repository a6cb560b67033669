import type { Item, Key } from '@sallyport/dynamo';
import { absentOrPastTtl, isPastTtl, ttlAt } from '@sallyport/dynamo';
import type { CallOptions } from '../calls.js';
import { EVENTBUS_ERRORS as ERRORS } from '../errors.js';
import { assertId, assertInput, isoTime, textMap, ttlSeconds } from '../internal/input.js';
import { sha256 } from '../internal/keys.js';
import { openStore, type StoreOptions, storeOptions } from '../internal/options.js';
import { assertSize, canonicalJson, holdsAll, isoOf, type StoreParts, toJson } from '../internal/rows.js';
import { EVENTBUS_TABLE_NAME_ENV } from '../schema.js';
import type { EventBusStore, PublishInput, StoredEvent } from './event-bus.js';
import { eventKey, publishedKey, queryEvents, tenantType, toEvent } from './internal/event-rows.js';

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

const OPTIONS = storeOptions(EVENTBUS_TABLE_NAME_ENV);

/**
 * An event store in one DynamoDB table. The AWS SDK is loaded at the first call.
 *
 * @throws FrameworkError `app.invalid_configuration` for a wrong option, or when neither option nor variable names the table
 * @example await createEventBusStore().publish({ tenantId: 'acme', type: 'InvoicePaid', payload: { id: 7 } });
 */
export function createEventBusStore(options: EventBusStoreOptions = {}): EventBusStore {
  return createEventStore(openStore(OPTIONS.parse(options), ERRORS));
}

/** An event store over any table. */
export function createEventStore(parts: StoreParts): EventBusStore {
  return Object.freeze({
    publish: async (input, options = {}) => publish(parts, input, options),
    query: async (input, options = {}) => queryEvents(parts, input, options),
    async get(input, { signal } = {}) {
      const item = await parts.store.get(keyOf(input), { signal });
      return item && !isPastTtl(item, parts.clock.now().getTime()) ? toEvent(item) : undefined;
    },
    async delete(input, { signal } = {}) {
      const { item } = await parts.store.remove(keyOf(input), { signal });
      return item !== undefined && !isPastTtl(item, parts.clock.now().getTime());
    },
  } satisfies EventBusStore);
}

async function publish(
  { store, clock, ids }: StoreParts,
  input: PublishInput,
  { signal }: CallOptions,
): Promise<{ event: StoredEvent; outcome: 'created' | 'duplicate' }> {
  const nowMs = clock.now().getTime();
  const item = newEvent(input, () => ids.newId(), nowMs);
  signal?.throwIfAborted();
  const outcome = await store.put(item, { condition: absentOrPastTtl(nowMs), signal });
  if (outcome.applied || (outcome.retried && holdsAll(outcome.item, item))) {
    return { event: toEvent(item), outcome: 'created' };
  }
  if (outcome.item?.payload_sha256 === item.payload_sha256) {
    return { event: toEvent(outcome.item), outcome: 'duplicate' };
  }
  throw ERRORS.conflict('payload_mismatch');
}

function newEvent(input: PublishInput, newId: () => string, nowMs: number): Item & Key & { payload_sha256: string } {
  assertInput(input, PUBLISH_INPUT, ERRORS);
  const { tenantId, type, id = newId() } = input;
  for (const [name, value] of Object.entries({ tenantId, type, id })) assertId(name, value, ERRORS);
  const payload = toJson('payload', input.payload, ERRORS);
  if (payload === undefined) throw ERRORS.invalid('payload must be a JSON value');
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
    payload_sha256: sha256(canonicalJson(payload)),
    published_at: publishedAt,
    published_key: publishedKey(publishedAt, id),
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
  assertInput(input, ['tenantId', 'id'], ERRORS);
  assertId('tenantId', input.tenantId, ERRORS);
  assertId('id', input.id, ERRORS);
  return eventKey(input.tenantId, input.id);
}
