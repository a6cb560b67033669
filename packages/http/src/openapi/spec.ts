import { FrameworkError, INVALID_CONFIGURATION } from '@sallyport/core';
import type { Contract } from '../bind/contract.js';
import type { FieldType } from '../bind/fields.js';

/** What an OpenAPI document is written from. */
export interface OpenApiSpec {
  readonly title: string;
  readonly version: string;
  readonly routes: readonly OpenApiRoute[];
}

export interface OpenApiRoute {
  readonly method: string;
  /** As it is registered. */
  readonly path: string;
  /** Unique in the document. */
  readonly operationId: string;
  readonly summary?: string;
  readonly tags?: readonly string[];
  /** Default 200, or what the contract says; not 400 or 422, which the framework answers with. */
  readonly successStatus?: number;
  readonly request?: { readonly fields: readonly OpenApiField[] };
  readonly response?: { readonly description?: string; readonly fields?: readonly OpenApiField[] };
  /** `handler.contract` of a bound handler, in the place of `request` and of `response.fields`. */
  readonly contract?: Contract;
}

/** One field of a request or of an answer. */
export interface OpenApiField {
  /** The application's name for it. */
  readonly field: string;
  /** Of an answer: `body` (default) or `header`. */
  readonly source?: 'path' | 'query' | 'header' | 'body';
  /** The name on the wire. */
  readonly name: string;
  readonly type: FieldType;
  readonly array?: boolean;
  /** Path parameters are always required. */
  readonly required?: boolean;
  readonly validation?: OpenApiValidation;
}

/** Lengths are of a text's characters or a list's entries; the others of a list's entries each. */
export interface OpenApiValidation {
  readonly min?: number;
  readonly max?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly enum?: readonly (string | number)[];
}

/** An OpenAPI 3.1 document. */
export interface OpenApiDocument {
  readonly openapi: '3.1.0';
  readonly info: { readonly title: string; readonly version: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly components: Readonly<Record<string, unknown>>;
  readonly [extension: `x-${string}`]: unknown;
}

/** A specification that cannot be written down. */
export function openApiError(what: string, cause?: unknown): FrameworkError {
  return new FrameworkError(INVALID_CONFIGURATION, `framework: openapi ${what}`, cause === undefined ? {} : { cause });
}
