import type { StandardSchema } from '@sallyport/core';
import { isStandardSchema } from '@sallyport/core/options';
import type { Contract, Schema } from '../../bind/contract.js';
import { type FieldMap, type FieldSpec, isRequired, wireName } from '../../bind/fields.js';
import type { Rule } from '../../bind/rules.js';
import type { ParsedRoute } from '../parse.js';
import { compareCodePoints, type OpenApiField, type OpenApiValidation, openApiError } from '../spec.js';
import type { Components, JsonSchema } from './components.js';

/** A field of a description, or of a bound handler, which can also read cookies. */
type PlacedField = Omit<OpenApiField, 'source'> & { readonly source?: OpenApiField['source'] | 'cookie' };

/** A parameter object of OpenAPI. */
interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header' | 'cookie';
  readonly required: boolean;
  readonly schema: JsonSchema;
}

/** The parts of a request or an answer, for both kinds of description. */
interface Parts {
  readonly parameters: readonly Parameter[];
  readonly body: JsonSchema | undefined;
  readonly bodyRequired: boolean;
  readonly response: JsonSchema | undefined;
  readonly responseHeaders: readonly PlacedField[];
}

const PLACES = ['path', 'query', 'header', 'cookie'] as const;

/** The operation object of one route. */
export function operationOf(parsed: ParsedRoute, components: Components): Record<string, unknown> {
  const { route, path, status } = parsed;
  const parts = route.contract ? contractParts(parsed, route.contract, components) : fieldParts(parsed);
  const parameters = withPathParameters(parts.parameters, path.params);
  return {
    operationId: route.operationId,
    ...(route.summary !== undefined && { summary: route.summary }),
    ...(route.tags && { tags: [...route.tags] }),
    ...(parameters.length > 0 && { parameters: parameters.sort(compareParameters) }),
    ...(parts.body && { requestBody: { required: parts.bodyRequired, content: jsonContent(parts.body) } }),
    responses: {
      [status]: success(route.response?.description ?? 'Success', parts),
      400: { $ref: '#/components/responses/AppBadRequest' },
      422: { $ref: '#/components/responses/AppValidationFailed' },
    },
  };
}

function jsonContent(schema: JsonSchema): JsonSchema {
  return { 'application/json': { schema } };
}

function success(description: string, { response, responseHeaders }: Parts): JsonSchema {
  const headers = [...responseHeaders].sort((a, b) => compareCodePoints(a.name, b.name));
  const entry = (field: PlacedField) => [field.name, { required: field.required ?? false, schema: fieldSchema(field) }];
  return {
    description,
    ...(headers.length > 0 && { headers: Object.fromEntries(headers.map(entry)) }),
    ...(response && { content: jsonContent(response) }),
  };
}

/** A path parameter without a description is a string. */
function withPathParameters(parameters: readonly Parameter[], names: readonly string[]): Parameter[] {
  const described = new Set(parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name));
  const rest = names.filter((name) => !described.has(name));
  return [
    ...parameters,
    ...rest.map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } }) as const),
  ];
}

function compareParameters(a: Parameter, b: Parameter): number {
  return PLACES.indexOf(a.in) - PLACES.indexOf(b.in) || compareCodePoints(a.name, b.name);
}

function fieldParts({ route }: ParsedRoute): Parts {
  const fields = route.request?.fields ?? [];
  const body = fields.filter((field) => field.source === 'body');
  const answer = route.response?.fields ?? [];
  const answerBody = answer.filter((field) => field.source !== 'header');
  return {
    parameters: fields.flatMap(fieldParameter),
    body: body.length > 0 ? objectSchema(body) : undefined,
    bodyRequired: true,
    response: answerBody.length > 0 ? objectSchema(answerBody) : undefined,
    responseHeaders: answer.filter((field) => field.source === 'header'),
  };
}

function fieldParameter(field: PlacedField): Parameter[] {
  const { source, name } = field;
  if (source === undefined || source === 'body') return [];
  return [{ name, in: source, required: source === 'path' || field.required === true, schema: fieldSchema(field) }];
}

function contractParts(parsed: ParsedRoute, contract: Contract, components: Components): Parts {
  const { params, query, headers, cookies, body, response, bodyOptional, status } = contract;
  const name = (source: string) => `${parsed.route.operationId}.${source}`;
  const parameters = (source: keyof typeof PLACE_OF, schema: Schema | undefined) =>
    schema === undefined ? [] : schemaParameters(source, schema, name(source), components);
  const all = [
    ...parameters('params', params),
    ...parameters('query', query),
    ...parameters('headers', headers),
    ...parameters('cookies', cookies),
  ];
  const stray = all.find((parameter) => parameter.in === 'path' && !parsed.path.params.includes(parameter.name));
  if (stray) throw openApiError(`path field ${stray.name} is not in ${parsed.path.canonical}`);
  const content = (source: 'body' | 'response', schema: Schema | undefined) =>
    schema === undefined ? undefined : contentSchema(source, schema, name(source), components);
  return {
    parameters: all,
    body: content('body', body),
    bodyRequired: bodyOptional !== true,
    response: status === 204 ? undefined : content('response', response),
    responseHeaders: [],
  };
}

function contentSchema(source: 'body' | 'response', schema: Schema, name: string, components: Components): JsonSchema {
  if (!isStandardSchema(schema)) return objectSchema(fieldsOf(source, schema));
  return components.embed(name, toJsonSchema(schema, source === 'response' ? 'output' : 'input') ?? {});
}

const PLACE_OF = { params: 'path', query: 'query', headers: 'header', cookies: 'cookie' } as const;

/** One parameter for each property. A validator without a JSON Schema, or without properties, has no parameters. */
function schemaParameters(
  source: keyof typeof PLACE_OF,
  schema: Schema,
  name: string,
  components: Components,
): Parameter[] {
  if (!isStandardSchema(schema)) return fieldsOf(source, schema).flatMap(fieldParameter);
  const json = toJsonSchema(schema, 'input');
  if (json === undefined) return [];
  const { properties = {}, required = [] } = components.resolve(components.embed(name, json)) as {
    properties?: Readonly<Record<string, JsonSchema>>;
    required?: readonly string[];
  };
  const place = PLACE_OF[source];
  return Object.entries(properties).map(([property, part]) => ({
    name: property,
    in: place,
    required: place === 'path' || required.includes(property),
    schema: part,
  }));
}

/**
 * The result of the validator's own converter; `undefined` if it has no converter. A schema that JSON Schema cannot express, such as `z.date()`, is
 * any value, with the reason: as in the documents of `sallyport contract`.
 */
function toJsonSchema(schema: StandardSchema, side: 'input' | 'output'): JsonSchema | undefined {
  try {
    return schema['~standard'].jsonSchema?.[side]({ target: 'draft-2020-12' });
  } catch (error) {
    return { description: `Unknown: ${error instanceof Error ? error.message : String(error)}` };
  }
}

const TYPES: Readonly<Record<PlacedField['type'], JsonSchema>> = {
  string: { type: 'string' },
  int: { type: 'integer' },
  float: { type: 'number' },
  bool: { type: 'boolean' },
  duration: { type: 'string', format: 'duration' },
};

/** The schema of one field. For a list, lengths count entries, and all other rules apply to each entry. */
function fieldSchema({ type, array, validation = {} }: PlacedField): JsonSchema {
  const { min, max, minLength, maxLength } = validation;
  const single: Record<string, unknown> = { ...TYPES[type] };
  const numeric = type === 'int' || type === 'float';
  if (numeric && min !== undefined) single.minimum = min;
  if (numeric && max !== undefined) single.maximum = max;
  if (validation.pattern !== undefined) single.pattern = validation.pattern;
  if (validation.enum !== undefined) single.enum = [...validation.enum];
  const schema: Record<string, unknown> = array ? { type: 'array', items: single } : single;
  if (minLength !== undefined) schema[array ? 'minItems' : 'minLength'] = minLength;
  if (maxLength !== undefined) schema[array ? 'maxItems' : 'maxLength'] = maxLength;
  return schema;
}

/** A closed object of fields, by name. */
function objectSchema(fields: readonly PlacedField[]): JsonSchema {
  const sorted = [...fields].sort((a, b) => compareCodePoints(a.name, b.name));
  const required = sorted.filter((field) => field.required).map((field) => field.name);
  return {
    type: 'object',
    additionalProperties: false,
    properties: Object.fromEntries(sorted.map((field) => [field.name, fieldSchema(field)])),
    ...(required.length > 0 && { required }),
  };
}

const SOURCES = { ...PLACE_OF, body: 'body', response: 'body' } as const;

/** The fields of a bound handler's field map. `bind` has checked them. */
function fieldsOf(source: keyof typeof SOURCES, map: FieldMap): readonly PlacedField[] {
  return Object.entries(map).map(([field, { type, name, array = false, rules = [] }]) => ({
    field,
    source: SOURCES[source],
    name: wireName(source, field, name),
    type,
    array,
    required: isRequired(source, rules),
    validation: validationOf(type, rules),
  }));
}

function validationOf(type: FieldSpec['type'], rules: readonly Rule[]): OpenApiValidation {
  // The rules of a duration are in milliseconds, but on the wire it is text: JSON Schema cannot express them.
  if (type === 'duration') return {};
  return Object.assign({}, ...rules.map(validationPart)) as OpenApiValidation;
}

function validationPart(rule: Rule): OpenApiValidation {
  if (rule.rule === 'required') return {};
  return rule.rule === 'oneOf' ? { enum: rule.value } : { [rule.rule]: rule.value };
}
