import type { StandardSchema } from '@sallyport/core';
import { isObject, membersOf } from '@sallyport/core/internal';
import { isStandardSchema } from '@sallyport/core/options';
import type { Contract } from '@sallyport/http';
import type { Registration } from '@sallyport/http/internal';
import { buildDocument, toOpenApiPath } from '@sallyport/http/openapi';
import type { JsonObject } from '../../protocol/types.js';
import { isUnionOfObjects, jsonSchemaOf } from '../../server/internal/schemas.js';
import type { ToolRoute } from '../route-options.js';
import { contractOf, invalidInclude, type SelectedRoute } from './selection.js';

/** The part of a request that an argument is sent in. */
export type Place = 'path' | 'query' | 'body';

/** The schemas of a tool from a route. */
export interface RouteSchemas {
  /** All arguments in one object. */
  readonly input: JsonObject;
  /** The structured content; `undefined` if the route has no response schema. */
  readonly output: JsonObject | undefined;
  /** True if the response is not an object, and is sent as the member `result`. */
  readonly isWrapped: boolean;
  /** The places of the named arguments. */
  readonly places: ReadonlyMap<string, Place>;
  /** True if other arguments are members of the body; otherwise they are rejected. */
  readonly isOpen: boolean;
  /** True if the route requires a body: without members it is an empty object. */
  readonly needsBody: boolean;
}

/** A route as a tool. */
export interface CompiledRoute extends RouteSchemas, SelectedRoute {}

/** Keywords of a body that can be joined with parameters in one object. */
const JOINABLE = ['$schema', '$id', 'type', 'properties', 'required', 'additionalProperties', 'title', 'description'];

/** One parameter of the operation. */
interface Parameter {
  readonly name: string;
  readonly in: Place | 'header' | 'cookie';
  readonly required: boolean;
  readonly schema: JsonObject;
}

function isConvertible(schema: StandardSchema): boolean {
  try {
    jsonSchemaOf(schema, 'input');
    return true;
  } catch {
    return false;
  }
}

/**
 * The schemas of a route, from the operation of its OpenAPI document.
 *
 * @throws FrameworkError `app.invalid_configuration` with the reason for a route that cannot be a tool
 */
export function toRouteSchemas(route: ToolRoute, { handler }: Registration): RouteSchemas {
  const refuse = (reason: string) => invalidInclude(`"${route.method} ${route.path}" cannot be a tool: ${reason}`);
  const contract = contractOf(handler) as Contract;
  for (const source of ['query', 'body'] as const) {
    const schema = contract[source];
    if (isStandardSchema(schema) && !schema['~standard'].jsonSchema) {
      throw refuse(`the validator of its ${source} has no JSON Schema`);
    }
    if (isStandardSchema(schema) && !isConvertible(schema)) {
      throw refuse(`the validator of its ${source} cannot be written as JSON Schema`);
    }
  }
  const { operation, definitions } = describe(route, contract);
  const parameters = (operation.parameters ?? []) as readonly Parameter[];
  const hidden = parameters.find((parameter) => isHidden(parameter) && parameter.required);
  if (hidden) throw refuse(`it requires the ${hidden.in} "${hidden.name}", which a tool does not send`);
  const shown = parameters.filter((parameter) => !isHidden(parameter));
  const { requestBody } = operation as { requestBody?: { required: boolean; content: unknown } };
  const body = requestBody && resolve(contentOf(requestBody.content), definitions);
  const places = new Map(shown.map((parameter) => [parameter.name, parameter.in as Place]));
  for (const name of Object.keys(membersOf(body?.properties))) {
    const other = places.get(name);
    if (other) throw refuse(`"${name}" is both in its ${other} and in its body`);
    places.set(name, 'body');
  }
  if (places.size < shown.length + Object.keys(membersOf(body?.properties)).length) {
    const twice = shown.find((one, index) => shown.findIndex(({ name }) => name === one.name) < index);
    throw refuse(`"${twice?.name}" is both in its path and in its query`);
  }
  const flat = flatten(shown, body, requestBody?.required === true, refuse);
  const answer = contentOf(membersOf(successOf(operation)).content);
  const output = answer === undefined || Object.keys(answer).length === 0 ? undefined : resolve(answer, definitions);
  const isWrapped = output !== undefined && output.type !== 'object' && !isUnionOfObjects(output);
  return {
    input: withDefinitions(flat, definitions),
    output: output && withDefinitions(isWrapped ? wrap(output) : output, definitions),
    isWrapped,
    places,
    isOpen: body !== undefined && body.additionalProperties !== false,
    needsBody: requestBody?.required === true,
  };
}

function isHidden(parameter: Parameter): boolean {
  return parameter.in === 'header' || parameter.in === 'cookie';
}

/** The operation object of the route, and the schemas that it refers to. */
function describe({ method, path, operationId }: ToolRoute, contract: Contract) {
  const { paths, components } = buildDocument({
    ...{ title: operationId, version: '0', routes: [{ method, path, operationId, contract }] },
  });
  const operation = membersOf(paths[toOpenApiPath(path).emitted]?.[method.toLowerCase()]);
  const text = JSON.stringify([operation, components.schemas]).replaceAll(
    '"$ref":"#/components/schemas/',
    '"$ref":"#/$defs/',
  );
  const [moved, definitions] = JSON.parse(text) as [JsonObject, JsonObject];
  return { operation: moved, definitions };
}

/** Parameters and the members of the body in one object. A body alone is used unchanged. */
function flatten(
  parameters: readonly Parameter[],
  body: JsonObject | undefined,
  isRequired: boolean,
  refuse: (reason: string) => Error,
): JsonObject {
  if (body && body.type !== 'object' && !isUnionOfObjects(body)) throw refuse('its body is not an object');
  if (body && parameters.length === 0 && isRequired) return body;
  const keyword = body && Object.keys(body).find((name) => !JOINABLE.includes(name));
  if (keyword !== undefined) {
    throw refuse(`its body has the keyword "${keyword}", which cannot be joined with its path and query`);
  }
  const required = [
    ...parameters.filter((parameter) => parameter.required).map(({ name }) => name),
    ...(isRequired ? ((body?.required ?? []) as readonly string[]) : []),
  ];
  return {
    type: 'object',
    properties: {
      ...Object.fromEntries(parameters.map(({ name, schema }) => [name, schema])),
      ...membersOf(body?.properties),
    },
    ...(required.length > 0 && { required }),
    ...(body === undefined
      ? { additionalProperties: false }
      : body.additionalProperties !== undefined && { additionalProperties: body.additionalProperties }),
  };
}

function successOf({ responses }: JsonObject): unknown {
  return Object.entries(membersOf(responses)).find(([status]) => status !== '400' && status !== '422')?.[1];
}

function contentOf(content: unknown): JsonObject | undefined {
  const { schema } = membersOf(membersOf(content)['application/json']);
  return isObject(schema) ? (schema as JsonObject) : undefined;
}

function wrap(result: JsonObject): JsonObject {
  return { type: 'object', properties: { result }, required: ['result'] };
}

const DEFINITION = '#/$defs/';

/** The definition that a schema refers to as a whole; any other schema is unchanged. */
function resolve(schema: JsonObject | undefined, definitions: JsonObject): JsonObject | undefined {
  const { $ref } = membersOf(schema);
  if (typeof $ref !== 'string' || !$ref.startsWith(DEFINITION)) return schema;
  return membersOf(definitions[$ref.slice(DEFINITION.length)]) as JsonObject;
}

/** The schema with the definitions that it needs. */
function withDefinitions(schema: JsonObject, definitions: JsonObject): JsonObject {
  const needed: Record<string, unknown> = {};
  const collect = (part: unknown) => {
    for (const [, name = ''] of JSON.stringify(part).matchAll(/"\$ref":"#\/\$defs\/([^"/]+)/g)) {
      if (Object.hasOwn(needed, name)) continue;
      needed[name] = definitions[name];
      collect(definitions[name]);
    }
  };
  collect(schema);
  return Object.keys(needed).length > 0 ? { ...schema, $defs: needed } : schema;
}
