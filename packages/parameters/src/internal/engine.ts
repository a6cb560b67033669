import { type FullClock, systemClock } from '@sallyport/core';
import { fromJson, isObject, parseLog } from '@sallyport/core/internal';
import { invalidConfiguration, isStandardSchema, issuePath, type ParsedOptions } from '@sallyport/core/options';
import { ParametersError } from '../errors.js';
import { PARAMETERS_OPTIONS, type ParametersOptions } from '../options.js';
import type { ParameterOptions, ReadScope, ValueName, ValueReader, ValueSchema } from '../readers.js';
import type { Fetched, Source } from './source.js';
import { ParameterStore } from './store.js';

/** A value that an application reads. */
export interface Definition extends ParameterOptions {
  readonly name: ValueName;
  readonly schema: ValueSchema<unknown> | undefined;
  readonly previous?: boolean;
}

/** The value for the application. @throws ParametersError for a value that it rejects */
export type Parse = (name: string, fetched: Fetched, signal: AbortSignal) => Promise<unknown>;

/** The cache, and what the readers of each service need. */
export interface Engine {
  readonly settings: ParsedOptions<typeof PARAMETERS_OPTIONS.kinds>;
  readonly clock: FullClock;
  /** The value of an environment variable. @throws FrameworkError if it is not set */
  variable(name: string): string;
  /** @throws FrameworkError `app.invalid_configuration` for an invalid name or schema */
  define(source: Source, kind: string, definition: Definition, parse: Parse): ValueReader<unknown>;
  /** @throws ParametersError one error for all values that could not be read */
  ready(scope?: ReadScope): Promise<void>;
}

/**
 * Creates the cache. It sends no request before the first read.
 *
 * @throws FrameworkError `app.invalid_configuration` for an unknown option or a wrong type
 */
export function createEngine(options: ParametersOptions): Engine {
  const settings = PARAMETERS_OPTIONS.parse(options);
  const { ttlMs, maxAgeMs = ttlMs * 10, clock = systemClock, environment = process.env } = settings;
  if (maxAgeMs < ttlMs) throw invalidConfiguration('option "maxAgeMs" must be at least ttlMs');
  const { log = parseLog(undefined, environment) } = settings;
  const store = new ParameterStore({ ...settings, maxAgeMs, clock, log });
  const variable = (name: string) => {
    const value = environment[name]?.trim();
    if (!value) throw invalidConfiguration(`the variable ${name} must be set`);
    return value;
  };
  return {
    settings,
    clock,
    variable,
    define(source, kind, { name, schema }, parse) {
      if (!isFilled(isObject(name) ? name.variable : name))
        throw invalidConfiguration(`the name of a ${kind} must be a string that is not blank, or { variable }`);
      if (schema !== undefined && !isStandardSchema(schema))
        throw invalidConfiguration(
          `the schema of ${kind} ${JSON.stringify(name)} must be a Standard Schema (version 1)`,
        );
      const nameOf = () => {
        const text = typeof name === 'string' ? name.trim() : variable(name.variable);
        return source.idOf?.(text) ?? text;
      };
      const entry = store.add(source, nameOf, (fetched, signal) => parse(nameOf(), fetched, signal));
      return {
        get: (scope) => store.read(entry, scope?.signal),
        refresh: (scope) => store.read(entry, scope?.signal, true),
      };
    },
    async ready({ signal } = {}) {
      const settled = await Promise.allSettled(store.entries.map((entry) => store.read(entry, signal)));
      signal?.throwIfAborted();
      const errors = settled.flatMap((one) => (one.status === 'rejected' ? [one.reason as Error] : []));
      const [first] = errors;
      if (!first) return;
      if (errors.length === 1) throw first;
      const code = first instanceof ParametersError ? first.code : 'parameters.failed';
      const problems = errors.map(({ message }) => message.replace('framework: ', '')).join('; ');
      throw new ParametersError(code, `${errors.length} values could not be read: ${problems}`, first);
    },
  };
}

function isFilled(name: unknown): boolean {
  return typeof name === 'string' && name.trim() !== '';
}

/** The value of a parameter or a secret. @throws ParametersError if it is not JSON or does not fit its schema */
export async function valueIn({ json, schema }: Definition, name: string, { value }: Fetched): Promise<unknown> {
  // Parsers quote values in their errors, so the errors are dropped.
  const parsed = json ? fromJson(String(value)) : value;
  if (json && parsed === undefined) throw new ParametersError('parameters.invalid_value', `${name} is not JSON`);
  return fit(name, parsed, schema);
}

/** The value as its schema returns it. The error has the paths of issues, never a value. */
export async function fit(name: string, value: unknown, schema: ValueSchema<unknown> | undefined): Promise<unknown> {
  if (!schema) return value;
  const result = await schema['~standard'].validate(value as never);
  if (!result.issues) return result.value;
  const paths = new Set(result.issues.map(issuePath).filter((path) => path !== ''));
  throw doesNotFit(name, [...paths].slice(0, 5));
}

export function doesNotFit(name: string, paths: readonly string[] = []): ParametersError {
  const at = paths.length > 0 ? `: ${paths.join(', ')}` : '';
  return new ParametersError('parameters.invalid_value', `${name} does not fit its schema${at}`);
}
