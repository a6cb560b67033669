import type { SpanAttributes, SpanKind, SpanOrigin } from '@sallyport/core';
import type { AttributeValue } from '../../encoding/protobuf.js';

const MAX_VALUE = 1024;
const MAX_ATTRIBUTES = 64;

/** Attributes of a span, limited in number and size. */
export class AttributeMap {
  readonly values: Record<string, AttributeValue> = {};
  dropped = 0;
  #count = 0;

  /** Adds attributes. A value that cannot be read or has no type of OpenTelemetry is dropped and counted. */
  add(
    attributes: Readonly<Record<string, AttributeValue | undefined>>,
    names: Readonly<Record<string, string>> = {},
  ): void {
    for (const key of Object.keys(attributes)) {
      const name = names[key] ?? key;
      const value = attributeOf(attributes, key);
      if (name === '' || value === undefined) continue;
      const isNew = this.values[name] === undefined;
      if (!isValue(value) || (isNew && this.#count >= MAX_ATTRIBUTES)) this.dropped += 1;
      else {
        if (isNew) this.#count += 1;
        this.values[name] = typeof value === 'string' ? value.slice(0, MAX_VALUE) : value;
      }
    }
  }

  /** Removes attributes that do not fit the kind of the span. */
  remove(...names: readonly string[]): void {
    for (const name of names) {
      if (this.values[name] === undefined) continue;
      delete this.values[name];
      this.#count -= 1;
    }
  }
}

function attributeOf(attributes: Readonly<Record<string, unknown>>, key: string): unknown {
  try {
    return attributes[key];
  } catch {
    return null;
  }
}

function isValue(value: unknown): value is AttributeValue {
  return ['string', 'number', 'boolean'].includes(typeof value) || Array.isArray(value);
}

/** Names of the framework's attributes that differ from the conventions; `''` is left out. */
const NAMES: Readonly<Record<string, string>> = {
  'request.id': 'sallyport.request.id',
  'tenant.id': 'sallyport.tenant.id',
  'trace.id': '',
  'event.source': 'sallyport.event.source',
  'event.detail_type': 'sallyport.event.detail_type',
  'correlation.id': 'messaging.message.conversation_id',
};

/** The name of a span of the framework by the conventions, and its attributes. */
export function describe(
  kind: SpanKind,
  name: string,
  attributes: SpanAttributes,
  origin: SpanOrigin | undefined,
  into: AttributeMap,
): string {
  into.add(attributes, kind === 'framework.span' ? undefined : NAMES);
  if (kind === 'framework.request') return describeRequest(attributes, origin, into);
  if (kind === 'framework.span' || attributes['event.source'] === undefined) return name;
  into.add({ 'messaging.batch.message_count': origin?.invocation().records?.length });
  if (attributes['messaging.system'] === undefined) return name.slice(name.indexOf(' ') + 1);
  into.add({ 'messaging.operation.type': 'process' });
  return `${attributes['event.source']} process`;
}

function describeRequest(attributes: SpanAttributes, origin: SpanOrigin | undefined, into: AttributeMap): string {
  const { surface, pattern = '' } = origin?.invocation().route ?? {};
  if (surface === 'appsync') {
    const [type = '', field = ''] = pattern.split('.');
    into.remove('http.request.method', 'http.route');
    into.add({ 'graphql.operation.type': type.toLowerCase(), 'sallyport.graphql.field': field });
    return pattern;
  }
  if (surface === 'websocket') {
    into.remove('http.request.method', 'http.route');
    into.add({ 'messaging.system': 'aws_api_gateway', 'messaging.operation.type': 'process' });
    return pattern;
  }
  const method = String(attributes['http.request.method']);
  into.add({ 'url.scheme': 'https', 'server.address': origin?.carrier('host') || undefined });
  if (surface === 'http') return `${method} ${pattern}`;
  into.remove('http.route');
  return method;
}
