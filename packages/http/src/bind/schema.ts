import { FrameworkError } from '@sallyport/core';
import { isPromise } from '../routing/registration.js';

/**
 * The interface of a Standard Schema validator, version 1 (standardschema.dev), as its specification asks libraries to
 * copy it. zod, valibot, arktype and others implement it.
 */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
    /** Standard JSON Schema, where the library has it. */
    readonly jsonSchema?: StandardJsonSchema | undefined;
  };
}

/** What a validator gives: the value, or what is wrong with it. */
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

/** One thing that a Standard Schema validator found wrong. */
export interface StandardIssue {
  /** What is wrong, in the words of the library. */
  readonly message: string;
  /** Keys from the value to the member that is wrong. */
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** Converters of a library that can write its schemas as JSON Schema. */
export interface StandardJsonSchema {
  /** The schema of what the validator takes. */
  readonly input: (options: { readonly target: 'draft-2020-12' }) => Record<string, unknown>;
  /** The schema of what the validator gives. */
  readonly output: (options: { readonly target: 'draft-2020-12' }) => Record<string, unknown>;
}

/** Whether a value is a validator of this interface; arktype's are functions. */
export function isStandardSchema(value: unknown): value is StandardSchema {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return false;
  const standard = (value as { '~standard'?: { version?: unknown; validate?: unknown } })['~standard'];
  return standard?.version === 1 && typeof standard.validate === 'function';
}

/** One thing that is wrong with a request, as the client reads it. */
export interface BindingIssue {
  /** `params`, `query`, `headers` or `body`. */
  readonly source: string;
  /** The field's name on the wire (`page-size`), or the path to it joined with `.`. */
  readonly field: string;
  /** The rule's name in snake_case (`min_length`); `schema` for a Standard Schema. */
  readonly rule: string;
  /** What is wrong, in one sentence. */
  readonly message: string;
}

/** As many as anybody reads; a hostile body cannot make the answer long. */
const MAX_ISSUES = 100;

/** What a validation found, up to 100 of it. */
export class IssueList {
  readonly errors: BindingIssue[] = [];

  add(issue: BindingIssue): void {
    if (!this.full) this.errors.push(issue);
  }

  get full(): boolean {
    return this.errors.length >= MAX_ISSUES;
  }

  get found(): boolean {
    return this.errors.length > 0;
  }

  /** The first twenty in one line, for logs. */
  toText(): string {
    return this.errors
      .slice(0, 20)
      .map(({ field, message }) => `${field}: ${message}`)
      .join('; ');
  }

  /** 422 with all of them. */
  toError(): FrameworkError {
    return new FrameworkError('app.validation_failed', undefined, { details: { errors: this.errors } });
  }
}

/** The value as a validator gives it back; its issues go to the list. What the validator throws is passed on. */
export function runSchema(source: string, schema: StandardSchema, value: unknown, issues: IssueList): unknown {
  const result = schema['~standard'].validate(value);
  return isPromise(result)
    ? result.then((settled) => takeResult(source, settled, issues))
    : takeResult(source, result, issues);
}

function takeResult(source: string, result: StandardResult<unknown>, issues: IssueList): unknown {
  if (result.issues === undefined) return result.value;
  for (const issue of result.issues) {
    if (issues.full) break;
    issues.add({ source, field: pathOf(issue), rule: 'schema', message: issue.message });
  }
  return undefined;
}

function pathOf(issue: StandardIssue): string {
  const keys = (issue.path ?? []).map((part) => (typeof part === 'object' ? part.key : part));
  return keys.map(String).join('.');
}
