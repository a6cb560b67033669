import { FrameworkError } from '@sallyport/core';
import { INVALID_CONFIGURATION } from '@sallyport/core/options';
import type { Contract } from '../bind/contract.js';
import type { FieldType } from '../bind/fields.js';
import type { HttpErrorFormat } from '../pipeline/error-body.js';
import { hasCatchAll, type Pattern, parsePattern } from '../routing/internal/pattern.js';

/** The input for an OpenAPI document. */
export interface OpenApiSpec {
  /** Title of the API. */
  readonly title: string;
  /** Version of the API, not of OpenAPI. */
  readonly version: string;
  /** The operations, in any order. */
  readonly routes: readonly OpenApiRoute[];
  /** The container's option of this name: media type and schema of its error bodies. Default `nested`. */
  readonly httpErrorFormat?: HttpErrorFormat;
}

/** One operation of a document. */
export interface OpenApiRoute {
  /** GET, PUT, POST, DELETE, OPTIONS, HEAD, PATCH or TRACE, in any case. */
  readonly method: string;
  /** The registered pattern. */
  readonly path: string;
  /** Unique in the document. */
  readonly operationId: string;
  /** One line about the operation. */
  readonly summary?: string;
  /** Tags that group operations in the document. */
  readonly tags?: readonly string[];
  /** Status of success. Default 200, or the status of the contract; not 400 or 422, which the framework uses. */
  readonly successStatus?: number;
  /** Fields of the request, for a handler without a contract. */
  readonly request?: { readonly fields: readonly OpenApiField[] };
  /** Description (default `Success`) and fields of the answer. */
  readonly response?: { readonly description?: string; readonly fields?: readonly OpenApiField[] };
  /** `handler.contract` of a bound handler, instead of `request` and `response.fields`. */
  readonly contract?: Contract;
}

/** One field of a request or of an answer. */
export interface OpenApiField {
  /** The name of the field in the application. */
  readonly field: string;
  /** In an answer: `body` (default) or `header`. */
  readonly source?: 'path' | 'query' | 'header' | 'body';
  /** The name in the request or answer. */
  readonly name: string;
  /** Type of the value. */
  readonly type: FieldType;
  /** True if the value is a list. Default false. */
  readonly array?: boolean;
  /** Path parameters are always required. */
  readonly required?: boolean;
  /** The rules for the value. */
  readonly validation?: OpenApiValidation;
}

/** Lengths count the characters of a string or the entries of a list; other rules apply to each entry of a list. */
export interface OpenApiValidation {
  /** Least number. */
  readonly min?: number;
  /** Greatest number. */
  readonly max?: number;
  /** Fewest characters, or entries. */
  readonly minLength?: number;
  /** Most characters, or entries. */
  readonly maxLength?: number;
  /** A regular expression that matches a part of the string. */
  readonly pattern?: string;
  /** The only values that are allowed. */
  readonly enum?: readonly (string | number)[];
}

/** An OpenAPI 3.1 document. */
export interface OpenApiDocument {
  /** Version of the OpenAPI specification. */
  readonly openapi: '3.1.0';
  /** Title and version of the API. */
  readonly info: { readonly title: string; readonly version: string };
  /** Operations by path template, then by method in lower case. */
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** Schemas and answers that operations refer to. */
  readonly components: Readonly<Record<string, unknown>>;
  readonly [extension: `x-${string}`]: unknown;
}

/** A specification that cannot be written as a document. */
export function openApiError(what: string, cause?: unknown): FrameworkError {
  return new FrameworkError(INVALID_CONFIGURATION, `framework: openapi ${what}`, { cause });
}

/** A route pattern in OpenAPI's form. */
export interface OpenApiPath {
  /** The router's canonical pattern. */
  readonly canonical: string;
  /** Equal for patterns that match the same paths. */
  readonly shape: string;
  /** `/files/{path}` for the catch-all `/files/{path+}`, because OpenAPI has no catch-all. */
  readonly emitted: string;
  /** Names of the parameters, in order. */
  readonly params: readonly string[];
  /** True if the last parameter matches the rest of the path. */
  readonly catchAll: boolean;
}

/**
 * The path of a route pattern in a document.
 *
 * @throws FrameworkError `framework: openapi path … is invalid`
 */
export function toOpenApiPath(pattern: string): OpenApiPath {
  let parsed: Pattern;
  try {
    parsed = parsePattern(pattern);
  } catch (cause) {
    throw openApiError(`path ${JSON.stringify(pattern)} is invalid`, cause);
  }
  return {
    canonical: parsed.canonical,
    shape: withoutPlus(parsed.shape),
    emitted: withoutPlus(parsed.canonical),
    params: parsed.paramNames,
    catchAll: hasCatchAll(parsed),
  };
}

function withoutPlus(path: string): string {
  return path.replace('+}', '}');
}

/** Compares by Unicode code point. The operators of the language compare UTF-16 code units. */
export function compareCodePoints(a: string, b: string): number {
  const left = a[Symbol.iterator]();
  const right = b[Symbol.iterator]();
  for (;;) {
    const l = left.next();
    const r = right.next();
    if (l.done || r.done) return Number(!l.done) - Number(!r.done);
    const difference = (l.value.codePointAt(0) ?? 0) - (r.value.codePointAt(0) ?? 0);
    if (difference !== 0) return difference;
  }
}

/** Compact JSON with the keys of every object in the order of their code points. */
export function toCanonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((entry) => toCanonicalJson(entry ?? null)).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => compareCodePoints(a, b))
    .map(([key, member]) => `${JSON.stringify(key)}:${toCanonicalJson(member)}`);
  return `{${members.join(',')}}`;
}
