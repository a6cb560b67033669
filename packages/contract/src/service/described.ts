import { FrameworkError } from '@sallyport/core';
import { isObject } from '@sallyport/core/internal';

/** The JSON Schema of one direction, or the reason why it is missing. */
export type Written = { readonly json: Readonly<Record<string, unknown>> } | { readonly reason: string };

/** A schema in a description. */
export interface DescribedSchema {
  readonly 'schema:': { readonly input: Written; readonly output: Written };
}

/** One line of `app.routes()`, with the facts for callers. */
export interface DescribedRoute {
  readonly surface: string;
  readonly method?: string;
  readonly path?: string;
  readonly posture?: string;
  readonly scopes?: readonly string[];
  readonly tags?: readonly string[];
  readonly appSyncParentType?: string;
  readonly appSyncField?: string;
  readonly webSocketRouteKey?: string;
  readonly states?: Readonly<Record<string, unknown>>;
  readonly mcp?: Readonly<
    Record<'tools' | 'prompts' | 'resources' | 'templates', readonly Record<string, unknown>[]>
  > & {
    readonly info: Readonly<Record<string, unknown>>;
  };
}

/** One line of `app.triggers()`, with the schema of its payload. */
export interface DescribedTrigger {
  readonly kind: string;
  readonly name?: string;
  readonly selector?: Readonly<Partial<Record<'source' | 'detailType' | 'ruleName' | 'scheduleName', string>>>;
  readonly options?: Readonly<Record<string, unknown>>;
  readonly payload?: unknown;
}

/** The description of one function, as `describe` of `@sallyport/contract/describe` returns it. */
export interface DescribedService {
  /** The file of the function, relative to the project. */
  readonly function: string;
  readonly routes: readonly DescribedRoute[];
  readonly triggers: readonly DescribedTrigger[];
  readonly sends: Readonly<Record<string, unknown>>;
}

/** True if a part of a description is a schema. */
export function isDescribedSchema(value: unknown): value is DescribedSchema {
  return isObject(value) && Object.hasOwn(value, 'schema:');
}

/** The error for contracts that cannot be written, joined or read. */
export function contractError(problem: string): FrameworkError {
  return new FrameworkError('app.invalid_configuration', `framework: contract: ${problem}`);
}
