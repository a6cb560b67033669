import { type DescribedService, type ServiceContract, type SourceKind, toContract } from '@sallyport/contract/service';
import { isFrameworkError } from '@sallyport/core';
import { type Addresses, fieldCode, httpCode, invokeCode, socketCode, sourceCode, toolCode } from './code.js';
import type { Attempt, ContractEntry, ContractPart, ContractView, Examples } from './entry.js';
import { httpParts, partOf } from './parts.js';
import { exampleRequest } from './request.js';

/**
 * The contract of the functions of a run with examples, filled forms and code for each entry. Equal services have equal views.
 *
 * @param addresses the open doors, for code
 */
export function toContractView(
  service: string,
  functions: readonly DescribedService[],
  addresses: Addresses,
): ContractView {
  const nothing = { service, entries: [], unknown: [] };
  if (functions.length === 0) return { ...nothing, problem: 'the service describes no operations' };
  try {
    const contract = toContract(service, functions);
    return { service, entries: entriesOf(contract, functions, addresses), unknown: contract.unknown, problem: '' };
  } catch (error) {
    if (!isFrameworkError(error) || error.code !== 'app.invalid_configuration') throw error;
    return { ...nothing, problem: error.message.replace(/^framework: contract: /, '') };
  }
}

function entriesOf(
  contract: ServiceContract,
  functions: readonly DescribedService[],
  addresses: Addresses,
): readonly ContractEntry[] {
  return [
    ...httpEntries(contract, addresses),
    ...(['in', 'out'] as const).flatMap((side) => socketEntries(contract, side, addresses)),
    ...unstatedSockets(functions),
    ...Object.keys(SOURCE_FORMS).flatMap((kind) => sourceEntries(contract, kind as SourceKind)),
    ...callEntries(contract, addresses),
  ];
}

/** The members of an entry that all doors have. */
function common(
  door: string,
  name: string,
  entry: Pick<ContractEntry, 'function'> & Partial<Pick<ContractEntry, 'summary' | 'scopes'>> & { posture?: string },
) {
  const { summary = '', posture = null, scopes = [] } = entry;
  return { door, name, summary, function: entry.function, posture, scopes };
}

/** The examples of what an entry reads. */
const examplesOf = (parts: readonly ContractPart[]): Examples =>
  Object.fromEntries(parts.filter(({ direction }) => direction === 'in').map(({ name, example }) => [name, example]));

const toText = (value: unknown) => JSON.stringify(value ?? null, null, 2);

function httpEntries({ http, schemas }: ServiceContract, addresses: Addresses): readonly ContractEntry[] {
  return Object.entries(http).map(([name, entry]) => {
    const facts = common('http', name, entry);
    const parts = httpParts(schemas, entry);
    const examples = examplesOf(parts);
    const isIdempotent = entry.idempotency === true;
    const code = httpCode({ ...facts, examples }, addresses, { isIdempotent, isStream: entry.events !== undefined });
    return { ...facts, parts, code, attempt: httpAttempt(name, examples, isIdempotent) };
  });
}

function httpAttempt(operation: string, examples: Examples, isIdempotent: boolean): Attempt {
  const { method, path, query, headers, cookies, body } = exampleRequest(operation, examples, isIdempotent);
  const lines = (pairs: typeof query, between: string) =>
    pairs.map(([name, value]) => `${name}${between}${value}`).join('\n');
  return {
    kind: 'http',
    target: `${method} ${path.split('?', 1)[0]}`,
    fields: {
      query: lines(query, ': '),
      headers: lines(headers, ': '),
      cookies: lines(cookies, '='),
      json: body === undefined ? '' : toText(body),
    },
  };
}

function socketEntries(
  { socket, schemas }: ServiceContract,
  side: 'in' | 'out',
  addresses: Addresses,
): readonly ContractEntry[] {
  return Object.entries(socket[side]).map(([name, entry]) => {
    const facts = common(`socket ${side}`, name, entry);
    const part = partOf(schemas, side, 'message', entry.message);
    const attempt = { kind: 'websocket', target: name, fields: { body: toText({ action: name, data: part.example }) } };
    const code = socketCode(side, { ...facts, examples: { message: part.example } }, addresses);
    return { ...facts, parts: [part], code, attempt: side === 'in' ? attempt : null };
  });
}

/** The routes of a WebSocket API whose handlers state no message: they are not in the contract. */
function unstatedSockets(functions: readonly DescribedService[]): readonly ContractEntry[] {
  return functions.flatMap(({ function: file, routes }) =>
    routes
      .filter(({ surface, states }) => surface === 'websocket' && states?.message === undefined)
      .map(({ webSocketRouteKey: name = '', ...route }) => ({
        ...common('socket in', name, { ...route, function: file }),
        parts: [],
        code: [],
        attempt: { kind: 'websocket', target: name, fields: {} },
      })),
  );
}

/** The form of a source, and its field with the message. */
const SOURCE_FORMS: Readonly<Record<SourceKind, (name: string, message: string) => Attempt>> = {
  queue: (target, body) => ({ kind: 'queue', target, fields: { body } }),
  stream: (target, json) => ({ kind: 'stream', target, fields: { json } }),
  topic: (target, message) => ({ kind: 'topic', target, fields: { message } }),
  bus: (name, detail) => {
    const slash = name.indexOf('/');
    const [source, detailType] = [name.slice(0, slash), name.slice(slash + 1)];
    return { kind: 'event-bus', target: 'default', fields: { source, detailType, detail } };
  },
  table: (target, newImage) => ({ kind: 'table-stream', target, fields: { eventName: 'INSERT', newImage } }),
  event: eventAttempt,
};

/** Schedules have a form with their input; the form of another trigger begins with the sample of its service. */
function eventAttempt(place: string, detail: string): Attempt {
  const slash = place.indexOf('/');
  const [kind, name] = slash < 0 ? [place, ''] : [place.slice(0, slash), place.slice(slash + 1)];
  if (kind === 'schedule' || kind === 'rule') return { kind: 'schedule', target: name, fields: { detail } };
  return { kind: kind === 'bus' ? 'event-bus' : kind, target: name, fields: {} };
}

function sourceEntries(contract: ServiceContract, kind: SourceKind): readonly ContractEntry[] {
  return Object.entries(contract[kind]).map(([name, entry]) => {
    const facts = common(kind, name, entry);
    const part = partOf(contract.schemas, 'in', 'message', entry.message);
    const isStated = Object.keys(entry.message).length > 0;
    return {
      ...facts,
      parts: isStated ? [part] : [],
      attempt: SOURCE_FORMS[kind](name, isStated ? toText(part.example) : ''),
      code: sourceCode(kind, { ...facts, examples: { message: part.example } }),
    };
  });
}

function callEntries(contract: ServiceContract, addresses: Addresses): readonly ContractEntry[] {
  const { tool, invoke, field, schemas } = contract;
  const entries = (door: 'tool' | 'invoke' | 'field', calls: ServiceContract['invoke'], inputName: string) =>
    Object.entries(calls).map(([name, entry]) => {
      const facts = common(door, name, entry);
      const parts = [
        partOf(schemas, 'in', inputName, entry.input),
        ...(Object.keys(entry.output).length > 0 ? [partOf(schemas, 'out', 'output', entry.output)] : []),
      ];
      return { facts, parts, examples: examplesOf(parts) };
    });
  return [
    ...entries('tool', tool, 'input').map(({ facts, parts, examples }) => ({
      ...facts,
      parts,
      attempt: {
        kind: 'tool',
        target: facts.name,
        fields: { path: pathOf(contract, facts.name), arguments: toText(examples.input) },
      },
      code: toolCode({ ...facts, examples }, addresses, pathOf(contract, facts.name)),
    })),
    ...entries('invoke', invoke, 'input').map(({ facts, parts, examples }) => ({
      ...facts,
      parts,
      attempt: {
        kind: 'invoke',
        target: '',
        fields: { event: toText({ $invoke: facts.name, input: examples.input }) },
      },
      code: invokeCode({ ...facts, examples }),
    })),
    ...entries('field', field, 'args').map(({ facts, parts, examples }) => ({
      ...facts,
      parts,
      attempt: { kind: 'appsync', target: facts.name, fields: { arguments: toText(examples.args ?? {}) } },
      code: fieldCode({ ...facts, examples }),
    })),
  ];
}

/** The path of the server that has a tool. */
function pathOf({ mcp }: ServiceContract, tool: string): string {
  const found = Object.entries(mcp).find(([, { tools }]) => tools.some(({ name }) => name === tool));
  return found?.[0] ?? '/mcp';
}
