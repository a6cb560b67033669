/**
 * The interface of a Standard Schema validator, version 1 (standardschema.dev), as its specification recommends
 * to copy it. zod, valibot, arktype and others implement it.
 */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
    /** Standard JSON Schema, if the library supports it. */
    readonly jsonSchema?: StandardJsonSchema | undefined;
  };
}

/** The result of a validator: the value, or its issues. */
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

/** One problem that a Standard Schema validator found. */
export interface StandardIssue {
  /** The message of the library. */
  readonly message: string;
  /** Keys from the value to the member that is wrong. */
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** Converters of a library that can write its schemas as JSON Schema. */
export interface StandardJsonSchema {
  /** The schema of the validator's input. */
  readonly input: (options: { readonly target: 'draft-2020-12' }) => Record<string, unknown>;
  /** The schema of the validator's output. */
  readonly output: (options: { readonly target: 'draft-2020-12' }) => Record<string, unknown>;
}

/** True if a value is a validator of this interface; arktype's are functions. */
export function isStandardSchema(value: unknown): value is StandardSchema {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return false;
  const standard = (value as { '~standard'?: { version?: unknown; validate?: unknown } })['~standard'];
  return standard?.version === 1 && typeof standard.validate === 'function';
}

/** The path to the member that an issue is about, joined with `.`; `''` for the value itself. */
export function issuePath({ path = [] }: StandardIssue): string {
  return path.map((part) => String(typeof part === 'object' ? part.key : part)).join('.');
}

/** The most paths that an error names. */
const MAX_PATHS = 5;

/**
 * The paths of issues for an error message: `id, items.0.price`, at most five, `, and 2 more` for the rest. Validators quote values in their
 * messages, so errors have only paths.
 *
 * @param whole the words for an issue without a path, such as `the payload itself`
 */
export function issuePaths(issues: readonly StandardIssue[], whole: string): string {
  const paths = [...new Set(issues.map(issuePath))];
  const named = paths.slice(0, MAX_PATHS).map((path) => (path === '' ? whole : path));
  const rest = paths.length - MAX_PATHS;
  return `${named.join(', ')}${rest > 0 ? `, and ${rest} more` : ''}`;
}
