import type { Item, Key } from '@sallyport/dynamo';
import { fromJson } from '../../internal/json.js';
import { keyPart } from '../../internal/keys.js';
import { numberOf, textOf, textsOf } from '../../internal/rows.js';
import type { StoredEvent } from '../event-bus.js';

export function eventKey(tenantId: string, id: string): Key {
  return { pk: `EVT#${keyPart(tenantId)}#${keyPart(id)}`, sk: 'EVT' };
}

export function tenantType(tenantId: string, type: string): string {
  return `${keyPart(tenantId)}#${keyPart(type)}`;
}

export function publishedKey(publishedAt: string, id: string): string {
  return `${publishedAt}#${keyPart(id)}`;
}

/** Rows that other versions wrote may lack anything but their key. */
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
