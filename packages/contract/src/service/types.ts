import type { CallEntry, HttpEntry, JsonSchema, MessageEntry, ServiceContract } from './contract.js';
import { SOURCE_KINDS } from './contract.js';
import { byName } from './internal/canonical.js';
import { commentText, keyText, objectText, stringLiteral, typeText } from './internal/type-text.js';

/**
 * The types of a contract as one flat file: `interface Contract` with one line for each operation and source, then one line for each
 * named schema. Equal contracts have equal files.
 */
export function toTypes(contract: ServiceContract): string {
  const { http, socket, tool, invoke, field, schemas } = contract;
  const lines = [
    ...section('http', http, httpText),
    ...SOURCE_KINDS.flatMap((kind) => section(kind, contract[kind], messageText)),
    ...socketSection(socket),
    ...section('tool', tool, callText('input', 'output')),
    ...section('invoke', invoke, callText('input', 'output')),
    ...section('field', field, callText('args', 'result')),
  ];
  const declared = Object.entries(schemas).sort(([a], [b]) => byName(a, b));
  return `/** Written by \`sallyport types\`. */
export interface Contract {
${lines.map((line) => `  ${line}\n`).join('')}}
${declared.map(([name, schema]) => `${declaration(name, schema)}\n`).join('')}`;
}

function section<E>(
  name: string,
  entries: { readonly [key: string]: E },
  text: (entry: E) => string,
): readonly string[] {
  const keys = Object.keys(entries).sort(byName);
  if (keys.length === 0) return [];
  return [
    `${name}: {`,
    ...keys.map((key) => `  ${summaryOf(entries[key])}${keyText(key)}: ${text(entries[key] as E)};`),
    '};',
  ];
}

const summaryOf = (entry: unknown) => commentText((entry as { readonly summary?: string } | undefined)?.summary);

function socketSection({ in: received, out, envelope }: ServiceContract['socket']): readonly string[] {
  if (Object.keys(received).length + Object.keys(out).length === 0) return [];
  const side = (name: string, entries: ServiceContract['socket']['in']) => {
    const inner = section(name, entries, messageText);
    return (inner.length === 0 ? [`${name}: {};`] : inner).map((line) => `  ${line}`);
  };
  const named = Object.entries(envelope ?? {}).map(([name, member]) => `${name}: ${stringLiteral(member)}`);
  const stated = envelope ? [`  envelope: ${objectText(named)};`] : [];
  return ['socket: {', ...stated, ...side('in', received), ...side('out', out), '};'];
}

const messageText = ({ message }: MessageEntry) => typeText(message);

const callText =
  (first: string, second: string) =>
  ({ input, output }: CallEntry) =>
    objectText([`${first}: ${typeText(input)}`, `${second}: ${typeText(output)}`]);

function httpText(entry: HttpEntry): string {
  const { params, query, headers, body, bodyOptional, answer, errors, events, idempotency, repeatable } = entry;
  const part = (name: string, schema: JsonSchema | undefined, mark = '') =>
    schema === undefined ? [] : [`${name}${mark}: ${typeText(schema)}`];
  // Errors below 400 are answers too; codes of an error that lists none can be any string.
  const codes = Object.values(errors ?? {}).flatMap((list) =>
    list.length === 0 ? ['string'] : list.map(stringLiteral),
  );
  const answers = Object.entries(answer ?? {}).filter(([status]) => Number(status) < 400);
  return objectText([
    ...part('params', params),
    ...part('query', query),
    ...part('headers', headers),
    ...part('body', body, bodyOptional ? '?' : ''),
    ...(answers.length > 0
      ? [
          `answer: ${objectText(answers.map(([status, schema]) => `${status}: ${schema === null ? 'undefined' : typeText(schema)}`))}`,
        ]
      : []),
    ...(codes.length > 0
      ? [`error: ${[...new Set(codes.includes('string') ? ['string'] : codes)].sort(byName).join(' | ')}`]
      : []),
    ...(events
      ? [
          `events: ${objectText(Object.entries(events).map(([type, schema]) => `${keyText(type)}: ${typeText(schema)}`))}`,
        ]
      : []),
    ...(idempotency ? ['idempotency: true'] : []),
    ...(repeatable ? ['repeatable: true'] : []),
  ]);
}

/** An interface where the schema is an object: the compiler compares interfaces by name. */
function declaration(name: string, schema: JsonSchema): string {
  const text = typeText(schema);
  const isPlain = /^\{ /.test(text) && Object.keys(schema).every((key) => PLAIN.has(key));
  const body = isPlain ? `interface ${name} ${text}` : `type ${name} = ${text};`;
  return `${commentText(schema.description)}export ${body}`;
}

/** Keywords of an object whose type is one object type. */
const PLAIN = new Set([
  'type',
  'properties',
  'required',
  'additionalProperties',
  'description',
  'examples',
  'default',
  'deprecated',
]);
