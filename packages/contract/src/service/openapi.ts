import type { HttpEntry, JsonSchema, ServiceContract } from './contract.js';
import { byName } from './internal/canonical.js';
import { mapSchema } from './internal/walk.js';

/** Facts of a document that the code of a service does not state; all are optional. */
export interface DocumentFacts {
  /** Title. Default: the name of the service. */
  readonly title?: string;
  /** Version of the API. Default `0.0.0`. */
  readonly version?: string;
  /** The addresses of the service, `https://…`. Default `/`. */
  readonly servers?: readonly string[];
  /** Security Scheme Objects by name: any of them identifies a caller. Default: a bearer token. */
  readonly securitySchemes?: Readonly<Record<string, JsonSchema>>;
}

const BEARER = { bearer: { type: 'http', scheme: 'bearer' } };

/**
 * The OpenAPI 3.1 document of a contract: the HTTP operations of all functions.
 *
 * @see https://spec.openapis.org/oas/v3.1.0
 */
export function toOpenApi(contract: ServiceContract, facts: DocumentFacts = {}): JsonSchema {
  const { title = contract.service, version = '0.0.0', servers = ['/'], securitySchemes = BEARER } = facts;
  const ids = new Map<string, number>();
  const templates = new Map<string, string>();
  const paths = new Map<string, Record<string, unknown>>();
  for (const [key, entry] of Object.entries(contract.http).sort(([a], [b]) => byName(a, b))) {
    const [method = '', registered = ''] = key.split(' ', 2);
    const own = registered.replaceAll('+}', '}');
    const shape = own.replaceAll(/\{[^}]+\}/g, '{}');
    // Templates that differ only in the names of parameters are identical in OpenAPI: the first names apply to all.
    const path = templates.get(shape) ?? own;
    templates.set(shape, path);
    const renamed = new Map(namesOf(own).map((name, index) => [name, namesOf(path)[index] as string]));
    const item = paths.get(path) ?? {};
    const id = uniqueId(ids, method, path);
    item[method.toLowerCase()] = operationOf(contract, entry, {
      id,
      key,
      renamed,
      schemes: Object.keys(securitySchemes),
    });
    paths.set(path, item);
  }
  return {
    openapi: '3.1.0',
    info: { title, version },
    servers: servers.map((url) => ({ url })),
    paths: Object.fromEntries(paths),
    components: {
      schemas: {
        ServiceError: ERROR,
        ...Object.fromEntries(Object.entries(contract.schemas).map(([name, schema]) => [name, moved(schema)])),
      },
      securitySchemes,
    },
  };
}

/** The body of an error in the default format of the containers. */
const ERROR = {
  type: 'object',
  properties: {
    error: {
      type: 'object',
      properties: { code: { type: 'string' }, message: { type: 'string' } },
      required: ['code', 'message'],
    },
  },
  required: ['error'],
};

const namesOf = (path: string) => [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name as string);

/** `getNotesId`; a second operation of the same name has a number. */
function uniqueId(ids: Map<string, number>, method: string, path: string): string {
  const words = path.replaceAll(/[^A-Za-z0-9]+(.)?/g, (_, next: string = '') => next.toUpperCase());
  const id = `${method.toLowerCase()}${words}`;
  const times = (ids.get(id) ?? 0) + 1;
  ids.set(id, times);
  return times === 1 ? id : `${id}_${times}`;
}

/** A schema whose references name components. */
function moved(schema: JsonSchema): JsonSchema {
  return mapSchema(schema, ({ $ref, 'x-unknown': reason, ...rest }) => ({
    ...rest,
    ...(typeof reason === 'string' && { description: `Unknown: ${reason}` }),
    ...(typeof $ref === 'string' && { $ref: $ref.replace('#/schemas/', '#/components/schemas/') }),
  }));
}

interface Place {
  readonly id: string;
  /** Method and path, the summary of an operation that states none. */
  readonly key: string;
  readonly renamed: ReadonlyMap<string, string>;
  readonly schemes: readonly string[];
}

function operationOf(
  contract: ServiceContract,
  entry: HttpEntry,
  { id, key: place, renamed, schemes }: Place,
): JsonSchema {
  const { summary = place, tags, params, query, headers, cookies, body, bodyOptional, posture, scopes } = entry;
  const of = (place: string, schema: JsonSchema | undefined) => parametersOf(contract, place, schema, renamed);
  const key = { name: 'idempotency-key', in: 'header', required: true, schema: { type: 'string' } };
  const parameters = [...of('path', params), ...of('query', query), ...of('header', headers), ...of('cookie', cookies)];
  const hasKey = parameters.some((one) => one.in === 'header' && one.name === key.name);
  if (entry.idempotency && !hasKey) parameters.push(key);
  return {
    operationId: id,
    summary,
    ...(tags && { tags: [...tags] }),
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: { required: bodyOptional !== true, content: json(moved(body)) } }),
    responses: responsesOf(entry),
    ...(posture !== undefined && { security: securityOf(posture, schemes), 'x-framework-auth-posture': posture }),
    ...(scopes && { 'x-framework-required-scopes': [...scopes] }),
    ...(entry.repeatable && { 'x-framework-repeatable': true }),
  };
}

const json = (schema: JsonSchema) => ({ 'application/json': { schema } });

function securityOf(posture: string, schemes: readonly string[]): readonly JsonSchema[] {
  if (posture === 'public') return [];
  const known = schemes.map((scheme) => ({ [scheme]: [] }));
  return posture === 'optional' ? [{}, ...known] : known;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly schema: JsonSchema;
}

/** One parameter for each member of an object. */
function parametersOf(
  { schemas }: ServiceContract,
  place: string,
  schema: JsonSchema | undefined,
  renamed: ReadonlyMap<string, string>,
): Parameter[] {
  if (schema === undefined) return [...(place === 'path' ? renamed.values() : [])].map((name) => stringParameter(name));
  const { $ref } = schema;
  const found = typeof $ref === 'string' ? (schemas[$ref.slice('#/schemas/'.length)] ?? {}) : schema;
  const { properties = {}, required = [] } = found as {
    readonly properties?: Readonly<Record<string, JsonSchema>>;
    readonly required?: readonly string[];
  };
  const described = Object.entries(properties).map(([name, part]) => ({
    name: place === 'path' ? (renamed.get(name) ?? name) : name,
    in: place,
    required: place === 'path' || required.includes(name),
    schema: moved(part),
  }));
  if (place !== 'path') return described;
  const missing = [...renamed.values()].filter((name) => !described.some((one) => one.name === name));
  return [...described.filter(({ name }) => [...renamed.values()].includes(name)), ...missing.map(stringParameter)];
}

const stringParameter = (name: string): Parameter => ({ name, in: 'path', required: true, schema: { type: 'string' } });

function responsesOf({ answer, errors, errorBodies, events }: HttpEntry): JsonSchema {
  const stream = events && {
    'text/event-stream': { schema: { type: 'string' }, 'x-framework-events': eventsOf(events) },
  };
  const answers = Object.entries(answer ?? {}).map(([status, schema]) => [
    status,
    { description: 'Success', ...(schema && { content: json(moved(schema)) }) },
  ]);
  const failures = Object.entries(errors ?? {}).map(([status, codes]) => {
    const schema = errorBodies?.[status];
    const description = codes.length > 0 ? codes.join(', ') : 'Error';
    return [
      status,
      { description, content: json(schema ? moved(schema) : { $ref: '#/components/schemas/ServiceError' }) },
    ];
  });
  const open = answers.length === 0 ? [['2XX', { description: 'Success', ...(stream && { content: stream }) }]] : [];
  const rest = { description: 'Error', content: json({ $ref: '#/components/schemas/ServiceError' }) };
  return { ...Object.fromEntries([...open, ...answers, ...failures]), default: rest };
}

const eventsOf = (events: { readonly [type: string]: JsonSchema }) =>
  Object.fromEntries(Object.entries(events).map(([type, schema]) => [type, moved(schema)]));
