import {
  type JsonSchema,
  type MessageEntry,
  PLAIN_ENVELOPE,
  type ServiceContract,
  SOURCE_KINDS,
  type SourceKind,
} from './contract.js';
import { byName } from './internal/canonical.js';
import { mapSchema } from './internal/walk.js';
import type { DocumentFacts } from './openapi.js';

interface Channel {
  readonly key: string;
  readonly address: string | null;
  /** By the name of the message. */
  readonly messages: { readonly [name: string]: MessageEntry };
  readonly action: 'receive' | 'send';
  readonly more: JsonSchema;
}

/**
 * The AsyncAPI 3.0 document of a contract: one channel for each source of messages and for the WebSocket API.
 *
 * @see https://www.asyncapi.com/docs/reference/specification/v3.0.0
 */
export function toAsyncApi(
  contract: ServiceContract,
  facts: Pick<DocumentFacts, 'title' | 'version'> = {},
): JsonSchema {
  const { title = contract.service, version = '0.0.0' } = facts;
  const channels = [...sourceChannels(contract), ...socketChannels(contract)];
  const keys = uniqueKeys(channels.map(({ key }) => key));
  const built = channels.map((channel, index) => ({ ...channel, key: keys[index] as string }));
  return {
    asyncapi: '3.0.0',
    info: { title, version },
    channels: Object.fromEntries(built.map((channel) => [channel.key, channelOf(channel)])),
    operations: Object.fromEntries(
      built.map(({ key, action }) => [`${action}_${key}`, { action, channel: { $ref: `#/channels/${key}` } }]),
    ),
    components: {
      schemas: Object.fromEntries(Object.entries(contract.schemas).map(([name, schema]) => [name, draft07(schema)])),
    },
  };
}

function sourceChannels(contract: ServiceContract): readonly Channel[] {
  return SOURCE_KINDS.flatMap((kind) =>
    Object.entries(contract[kind])
      .sort(([a], [b]) => byName(a, b))
      .map(([name, entry]) => ({
        key: `${kind}_${name}`,
        address: name,
        messages: { message: entry },
        action: 'receive' as const,
        more: {
          ...bindingOf(kind, name),
          ...(entry.orderedBy !== undefined && { 'x-framework-ordered-by': entry.orderedBy }),
        },
      })),
  );
}

function socketChannels({ socket }: ServiceContract): readonly Channel[] {
  const { route, type, data } = socket.envelope ?? PLAIN_ENVELOPE;
  const enclosed = (entries: ServiceContract['socket']['in'], member: string) =>
    Object.fromEntries(
      Object.entries(entries).map(([name, entry]) => {
        const properties = { [member]: { const: name }, [data]: entry.message };
        const required = [...new Set([member, data])];
        return [name, { ...entry, message: { type: 'object', properties, required } }] as const;
      }),
    );
  const sides = [
    { key: 'socket_in', messages: enclosed(socket.in, route), action: 'receive' as const },
    { key: 'socket_out', messages: enclosed(socket.out, type), action: 'send' as const },
  ];
  return sides
    .filter(({ messages }) => Object.keys(messages).length > 0)
    .map((side) => ({ ...side, address: '/', more: { bindings: { ws: { bindingVersion: '0.1.0' } } } }));
}

/** Bindings of https://github.com/asyncapi/bindings; it has no bindings of Kinesis, EventBridge and DynamoDB. */
function bindingOf(kind: SourceKind, name: string): JsonSchema {
  switch (kind) {
    case 'queue':
      return { bindings: { sqs: { queue: { name, fifoQueue: name.endsWith('.fifo') }, bindingVersion: '0.2.0' } } };
    case 'topic':
      return { bindings: { sns: { name, bindingVersion: '0.1.0' } } };
    case 'stream':
      return { 'x-aws-kinesis': { stream: name } };
    case 'bus': {
      const at = name.indexOf('/');
      return { 'x-aws-eventbridge': { source: name.slice(0, at), 'detail-type': name.slice(at + 1) } };
    }
    case 'table':
      return { 'x-aws-dynamodb': { table: name } };
    case 'event': {
      const [trigger = '', topic = ''] = name.split('/', 2);
      if (trigger !== 'kafka') return { 'x-framework-trigger': trigger };
      return { bindings: { kafka: { topic, bindingVersion: '0.5.0' } } };
    }
  }
}

function channelOf({ address, messages, more }: Channel): JsonSchema {
  const names = Object.keys(messages).sort(byName);
  const keys = uniqueKeys(names);
  return {
    address,
    messages: Object.fromEntries(
      names.map((name, index) => [
        keys[index],
        { name, contentType: 'application/json', payload: draft07((messages[name] as MessageEntry).message) },
      ]),
    ),
    ...more,
  };
}

/** Keys that references can name without escapes: letters, digits, `_`, `-` and `.`; a number follows a repeated one. */
function uniqueKeys(names: readonly string[]): readonly string[] {
  const counts = new Map<string, number>();
  return names.map((name) => {
    const key = name.replaceAll(/[^A-Za-z0-9._-]/g, '_');
    const times = (counts.get(key) ?? 0) + 1;
    counts.set(key, times);
    return times === 1 ? key : `${key}_${times}`;
  });
}

/** Schemas of AsyncAPI are JSON Schema draft 07: `prefixItems` is `items` there. */
function draft07(schema: JsonSchema): JsonSchema {
  return mapSchema(schema, ({ $ref, prefixItems, items, 'x-unknown': reason, ...rest }) => ({
    ...rest,
    ...(typeof reason === 'string' && { description: `Unknown: ${reason}` }),
    ...(Array.isArray(prefixItems)
      ? { items: prefixItems as unknown[], ...(items !== undefined && { additionalItems: items }) }
      : items !== undefined && { items }),
    ...(typeof $ref === 'string' && { $ref: $ref.replace('#/schemas/', '#/components/schemas/') }),
  }));
}
