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
  add(attributes: Readonly<Record<string, unknown>>, names?: Readonly<Record<string, string>>): void {
    for (const key of Object.keys(attributes)) {
      try {
        this.put(names?.[key] ?? key, attributes[key]);
      } catch {
        this.dropped += 1;
      }
    }
  }

  /** Adds one attribute; without a name or a value nothing. */
  put(name: string, value: unknown): void {
    if (name === '' || value === undefined) return;
    const isNew = this.values[name] === undefined;
    if (!isValue(value) || (isNew && this.#count === MAX_ATTRIBUTES)) this.dropped += 1;
    else {
      if (isNew) this.#count += 1;
      this.values[name] = typeof value === 'string' && value.length > MAX_VALUE ? value.slice(0, MAX_VALUE) : value;
    }
  }
}

function isValue(value: unknown): value is AttributeValue {
  const type = typeof value;
  return type === 'string' || type === 'number' || type === 'boolean' || Array.isArray(value);
}

/** Names of the framework's attributes that differ from the conventions; `''` is left out. */
export const NAMES: Readonly<Record<string, string>> = {
  'request.id': 'sallyport.request.id',
  'tenant.id': 'sallyport.tenant.id',
  'trace.id': '',
  'event.source': 'sallyport.event.source',
  'event.detail_type': 'sallyport.event.detail_type',
  'correlation.id': 'messaging.message.conversation_id',
};
/** The same for requests without a route, and for requests of surfaces other than HTTP. */
const WITHOUT_ROUTE = { ...NAMES, 'http.route': '' };
const WITHOUT_HTTP = { ...WITHOUT_ROUTE, 'http.request.method': '' };

/** The name of a span of the framework by the conventions, and its attributes. */
export function describe(
  kind: SpanKind,
  name: string,
  attributes: SpanAttributes,
  origin: SpanOrigin | undefined,
  into: AttributeMap,
): string {
  if (kind === 'framework.request') return describeRequest(attributes, origin, into);
  into.add(attributes, kind === 'framework.span' ? undefined : NAMES);
  const source = attributes['event.source'];
  if (kind === 'framework.span' || source === undefined) return name;
  into.put('messaging.batch.message_count', origin?.invocation().records?.length);
  if (attributes['messaging.system'] === undefined) return name.slice(name.indexOf(' ') + 1);
  into.put('messaging.operation.type', 'process');
  return `${source} process`;
}

function describeRequest(attributes: SpanAttributes, origin: SpanOrigin | undefined, into: AttributeMap): string {
  const { surface, pattern = '' } = origin?.invocation().route ?? {};
  if (surface === 'appsync' || surface === 'websocket') {
    into.add(attributes, WITHOUT_HTTP);
    if (surface === 'websocket') {
      into.add({ 'messaging.system': 'aws_api_gateway', 'messaging.operation.type': 'process' });
      return pattern;
    }
    const [type = '', field = ''] = pattern.split('.');
    into.add({ 'graphql.operation.type': type.toLowerCase(), 'sallyport.graphql.field': field });
    return pattern;
  }
  into.add(attributes, surface === 'http' ? NAMES : WITHOUT_ROUTE);
  into.put('url.scheme', 'https');
  into.put('server.address', origin?.carrier('host') || undefined);
  const method = String(attributes['http.request.method']);
  return surface === 'http' ? `${method} ${pattern}` : method;
}
