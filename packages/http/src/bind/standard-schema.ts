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

export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

export interface StandardJsonSchema {
  readonly input: (options: { readonly target: 'draft-2020-12' }) => Record<string, unknown>;
  readonly output: (options: { readonly target: 'draft-2020-12' }) => Record<string, unknown>;
}

/** Whether a value is a validator of this interface; arktype's are functions. */
export function isStandardSchema(value: unknown): value is StandardSchema {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return false;
  const standard = (value as { '~standard'?: { version?: unknown; validate?: unknown } })['~standard'];
  return standard?.version === 1 && typeof standard.validate === 'function';
}
