import { isObject } from '../protocol/internal/json-rpc.js';
import type { JsonObject } from '../protocol/types.js';

/** The part of Standard Schema v1 (https://standardschema.dev) that we read, with its JSON Schema extension. */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
    readonly jsonSchema?: StandardJsonSchema;
  };
}

interface StandardJsonSchema {
  readonly input: (options: { readonly target: 'draft-2020-12' }) => Record<string, unknown>;
  readonly output: (options: { readonly target: 'draft-2020-12' }) => Record<string, unknown>;
}

type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** Validators are objects or, as in some libraries, functions. */
export function isStandardSchema(value: unknown): value is StandardSchema {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return false;
  const standard: unknown = Reflect.get(value, '~standard');
  return isObject(standard) && standard.version === 1 && typeof standard.validate === 'function';
}

/** The JSON Schema that the validator gives of itself, or `undefined`. */
export function jsonSchemaOf(schema: StandardSchema, side: 'input' | 'output'): JsonObject | undefined {
  const { jsonSchema } = schema['~standard'];
  return jsonSchema?.[side]({ target: 'draft-2020-12' });
}

/** Issues as path and the rule `schema`: a validator's own message may repeat the value. */
export function describeIssues(issues: readonly StandardIssue[]): string[] {
  const texts = issues.map(({ path = [] }) => {
    const keys = path.map((part) => String(typeof part === 'object' ? part.key : part));
    return `/${keys.join('/')}: schema`;
  });
  return [...new Set(texts)].slice(0, 20);
}
