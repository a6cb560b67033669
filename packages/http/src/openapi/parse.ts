import { canonicalMethod, isObject } from '@sallyport/core/internal';
import { isContract } from '../bind/contract.js';
import {
  type OpenApiField,
  type OpenApiPath,
  type OpenApiRoute,
  type OpenApiSpec,
  type OpenApiValidation,
  openApiError,
  toOpenApiPath,
} from './spec.js';

/** A route after all checks. */
export interface ParsedRoute {
  /** The given route. */
  readonly route: OpenApiRoute;
  /** In upper case. */
  readonly method: string;
  /** The path in the form of the router and in that of OpenAPI. */
  readonly path: OpenApiPath;
  /** `GET /users/{id}`, for messages and to find the registration. */
  readonly key: string;
  /** Status of a successful answer. */
  readonly status: number;
}

const METHODS: readonly string[] = ['GET', 'PUT', 'POST', 'DELETE', 'OPTIONS', 'HEAD', 'PATCH', 'TRACE'];
const SPEC_KEYS = ['title', 'version', 'routes', 'httpErrorFormat'];
const ERROR_FORMATS: readonly unknown[] = [undefined, 'nested', 'problem', 'flat_legacy'];
const ROUTE_KEYS = [
  'method',
  'path',
  'operationId',
  'summary',
  'tags',
  'successStatus',
  'request',
  'response',
  'contract',
];
const FIELD_KEYS = ['field', 'source', 'name', 'type', 'array', 'required', 'validation'];
const VALIDATION_KEYS = ['min', 'max', 'minLength', 'maxLength', 'pattern', 'enum'];
const TYPES: readonly unknown[] = ['string', 'int', 'float', 'bool', 'duration'];

/**
 * Checks a specification, and converts methods and paths into canonical form.
 *
 * @throws FrameworkError `framework: openapi …`
 */
export function parseOpenApiSpec(spec: OpenApiSpec): readonly ParsedRoute[] {
  if (!isObject(spec)) throw openApiError('specification must be an object');
  assertKeys('specification', spec, SPEC_KEYS);
  assertText('title', spec.title);
  assertText('version', spec.version);
  if (!ERROR_FORMATS.includes(spec.httpErrorFormat)) {
    throw openApiError('httpErrorFormat must be "nested", "problem" or "flat_legacy"');
  }
  if (!Array.isArray(spec.routes)) throw openApiError('routes must be a list');
  const routes = spec.routes.map(parseRoute);
  assertDistinct(routes);
  return routes;
}

function parseRoute(route: OpenApiRoute): ParsedRoute {
  if (!isObject(route)) throw openApiError('route must be an object');
  const method = typeof route.method === 'string' ? canonicalMethod(route.method) : '';
  if (!METHODS.includes(method)) throw openApiError(`method ${JSON.stringify(route.method)} is not supported`);
  const path = toOpenApiPath(route.path);
  const key = `${method} ${path.canonical}`;
  assertKeys(`route ${key}`, route, ROUTE_KEYS);
  assertText(`operation id of ${key}`, route.operationId);
  if (route.summary !== undefined) assertText(`summary of ${key}`, route.summary);
  const { tags } = route;
  if (tags !== undefined && !(Array.isArray(tags) && tags.every((tag) => typeof tag === 'string'))) {
    throw openApiError(`tags of ${key} must be a list of strings`);
  }
  assertParts(route, key, path);
  return { route, method, path, key, status: parseStatus(route, key) };
}

function parseStatus({ successStatus, contract, response }: OpenApiRoute, key: string): number {
  const status = successStatus ?? contract?.status ?? 200;
  if (!Number.isInteger(status) || status < 200 || status > 599 || status === 400 || status === 422) {
    throw openApiError(`success status ${JSON.stringify(status)} of ${key} is not possible`);
  }
  const body = response?.fields?.some((field) => field.source !== 'header') === true;
  if (body && (status === 204 || status === 304)) throw openApiError(`success status ${status} of ${key} has no body`);
  return status;
}

function assertParts({ request, response, contract }: OpenApiRoute, key: string, path: OpenApiPath): void {
  if (request !== undefined) {
    assertKeys(`request of ${key}`, request, ['fields']);
    assertFields(`request of ${key}`, request.fields, ['path', 'query', 'header', 'body'], path);
  }
  if (response !== undefined) {
    assertKeys(`response of ${key}`, response, ['description', 'fields']);
    if (response.description !== undefined) assertText(`response description of ${key}`, response.description);
    assertFields(`response of ${key}`, response.fields ?? [], [undefined, 'header', 'body'], path);
  }
  if (contract === undefined) return;
  if (!isContract(contract)) throw openApiError(`contract of ${key} must be the contract of a bound handler`);
  if (request || response?.fields) throw openApiError(`route ${key} has fields and a contract: remove one of them`);
}

function assertFields(what: string, fields: unknown, sources: readonly unknown[], path: OpenApiPath): void {
  if (!Array.isArray(fields)) throw openApiError(`fields of ${what} must be a list`);
  const seen = new Set<string>();
  for (const field of fields as readonly OpenApiField[]) {
    if (!isObject(field)) throw openApiError(`field of ${what} must be an object`);
    assertField(what, field, sources);
    // Header names ignore case (RFC 9110 section 5.1).
    const wire = field.source === 'header' ? field.name.toLowerCase() : field.name;
    const id = `${field.source ?? 'body'} ${wire}`;
    if (seen.has(id)) throw openApiError(`field ${id} of ${what} is duplicated`);
    seen.add(id);
    if (field.source === 'path' && !path.params.includes(field.name)) {
      throw openApiError(`path field ${field.name} is not in ${path.canonical}`);
    }
  }
}

function assertField(what: string, field: OpenApiField, sources: readonly unknown[]): void {
  assertText(`field of ${what}`, field.field);
  const name = `field ${field.field} of ${what}`;
  assertKeys(name, field, FIELD_KEYS);
  assertText(`name of ${name}`, field.name);
  if (!sources.includes(field.source)) throw openApiError(`source of ${name} is not possible`);
  if (!TYPES.includes(field.type)) throw openApiError(`type of ${name} is not possible`);
  for (const flag of ['array', 'required'] as const) {
    if (field[flag] !== undefined && typeof field[flag] !== 'boolean')
      throw openApiError(`${flag} of ${name} must be a boolean`);
  }
  if (field.source === 'path' && field.array) throw openApiError(`${name} cannot be a list`);
  if (field.validation !== undefined) assertValidation(name, field.validation);
}

function assertValidation(name: string, validation: OpenApiValidation): void {
  assertKeys(`validation of ${name}`, validation, VALIDATION_KEYS);
  for (const key of ['min', 'max', 'minLength', 'maxLength'] as const) {
    const value = validation[key];
    if (value === undefined) continue;
    const possible =
      key === 'min' || key === 'max' ? Number.isFinite(value) : Number.isSafeInteger(value) && value >= 0;
    if (!possible) throw openApiError(`${key} of ${name} is not possible`);
  }
  if (validation.pattern !== undefined && typeof validation.pattern !== 'string') {
    throw openApiError(`pattern of ${name} must be text`);
  }
  if (validation.enum !== undefined && !(Array.isArray(validation.enum) && validation.enum.length > 0)) {
    throw openApiError(`enum of ${name} must be a list`);
  }
}

/** Rejects duplicate operations, and paths that differ only in the names of parameters (OpenAPI 3.1 section 4.8.8). */
function assertDistinct(routes: readonly ParsedRoute[]): void {
  const keys = new Set<string>();
  const operations = new Set<string>();
  const emitted = new Set<string>();
  const templates = new Map<string, string>();
  for (const { key, method, path, route } of routes) {
    if (keys.has(key)) throw openApiError(`route ${key} is duplicated`);
    if (operations.has(route.operationId)) throw openApiError(`operation id ${route.operationId} is duplicated`);
    const output = `${method} ${path.emitted}`;
    if (emitted.has(output)) throw openApiError(`emitted route ${output} collides`);
    const template = templates.get(path.shape) ?? path.emitted;
    if (template !== path.emitted) throw openApiError(`path ${path.emitted} collides with ${template}`);
    keys.add(key);
    operations.add(route.operationId);
    emitted.add(output);
    templates.set(path.shape, template);
  }
}

function assertKeys(what: string, value: object, known: readonly string[]): void {
  if (!isObject(value)) throw openApiError(`${what} must be an object`);
  for (const key of Object.keys(value)) {
    if (!known.includes(key)) throw openApiError(`${what} has the unknown key "${key}"`);
  }
}

function assertText(what: string, value: unknown): void {
  if (typeof value !== 'string' || value.trim() === '') throw openApiError(`${what} is required`);
}
