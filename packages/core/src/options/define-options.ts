import { FrameworkError } from '../errors/errors.js';
import { createFastMap } from '../request/request.js';
import type { Environment } from '../runtime/invocation.js';

/** Creates the error of a set of options from the problem: `option "retries" must be a whole number from 0 to 5`. */
export type OptionError = (problem: string) => Error;

/** The place of a value: its full name for errors, and the environment for its variable. */
export interface OptionPlace {
  /** `cors.allowedOrigins`. */
  readonly name: string;
  /** The source of environment variables. */
  readonly environment: Environment;
  /** Creates the error of this set of options. */
  readonly fail: OptionError;
}

/**
 * The validator of one option: the description for errors, the check, and the default.
 *
 * @typeParam T the value if present
 * @typeParam A the value if absent
 */
export class OptionKind<T, A = undefined> {
  /** The description of a valid value in errors and option tables: `a whole number from 1 to 60,000`. */
  readonly wanted: string;
  /** True if the option is required. */
  readonly isRequired: boolean;
  /** The default, if any. */
  readonly fallback: A | undefined;
  /** The environment variable that is read when the option is absent. */
  readonly variable: string | undefined;
  readonly #read: (value: unknown, place: OptionPlace) => T;

  constructor(
    wanted: string,
    read: (value: unknown, place: OptionPlace) => T,
    absent: { readonly isRequired?: boolean; readonly fallback?: A; readonly variable?: string } = {},
  ) {
    this.wanted = wanted;
    this.#read = read;
    this.isRequired = absent.isRequired ?? false;
    this.fallback = absent.fallback;
    this.variable = absent.variable;
  }

  /** The same kind, with a value for an absent option. */
  default<D extends T>(fallback: D): OptionKind<T, D> {
    return new OptionKind<T, D>(this.wanted, this.#read, { fallback });
  }

  /** The same kind, as a required option. */
  required(): OptionKind<T, never> {
    return new OptionKind<T, never>(this.wanted, this.#read, { isRequired: true });
  }

  /** The same kind, read from an environment variable if absent; the option or the variable is required. */
  orVariable(variable: string): OptionKind<T, T> {
    return new OptionKind<T, T>(this.wanted, this.#read, { isRequired: true, variable });
  }

  /** The value of an option. `undefined` counts as absent. */
  read(value: unknown, place: OptionPlace): T | A {
    if (value !== undefined) return this.#read(value, place);
    if (this.variable !== undefined) {
      const set = place.environment[this.variable];
      if (set !== undefined && set.trim() !== '') return this.#read(set, place);
      throw place.fail(`option "${place.name}" or the variable ${this.variable} must be ${this.wanted}`);
    }
    if (this.isRequired) throw wrong(place, this.wanted);
    return this.fallback as A;
  }
}

/** A kind for each option of `T`. */
export type OptionKinds<T> = {
  readonly [K in keyof Required<T>]: OptionKind<Exclude<T[K], undefined>, unknown>;
};

/** The parsed options: every key is an own member, with defaults filled in. */
export type ParsedOptions<K> = {
  readonly [N in keyof K]: K[N] extends OptionKind<infer T, infer A> ? T | A : never;
};

/** A closed set of options and their validators. */
export interface OptionSet<T, K> {
  /** The kind of each option, by name. */
  readonly kinds: K;
  /**
   * A new copy of the options, with defaults filled in.
   *
   * @throws FrameworkError `app.invalid_configuration`, or the error of the set's own `fail`: for anything but an object, an
   *   unknown key, a wrong value or a missing value. It names the option and never its value.
   */
  parse(options: T | undefined): ParsedOptions<K>;
}

/** Settings of a set of options. */
export interface OptionSetSettings {
  /** Creates the error. Default: FrameworkError `app.invalid_configuration` `framework: <problem>`. */
  readonly fail?: OptionError;
}

/**
 * Describes the options of one function, once: names, types, bounds and defaults. Call it with the type, then with the kinds.
 *
 * @example
 * const OPTIONS = defineOptions<RetryOptions>()({
 *   attempts: integer(1, 10).default(3),
 *   clock: withMethods<Clock>('now'),
 * });
 * const { attempts, clock } = OPTIONS.parse(options); // number, Clock | undefined
 */
export function defineOptions<T extends object>(): <K extends OptionKinds<T>>(
  kinds: K,
  settings?: OptionSetSettings,
) => OptionSet<T, K> {
  return (kinds, { fail = invalidConfiguration } = {}) => ({
    kinds,
    parse: (options) =>
      parseMembers(kinds, options === undefined ? {} : options, {
        name: '',
        environment: environmentOf(options),
        fail,
      }),
  });
}

/** `true` or `false`. */
export const boolean: OptionKind<boolean> = /* @__PURE__ */ kind(
  'true or false',
  (value) => typeof value === 'boolean',
);

/** Any function of type `T`. */
export function func<T extends (...args: never[]) => unknown>(): OptionKind<T> {
  return kind('a function', (value) => typeof value === 'function');
}

/** Any string, even an empty one. */
export const string: OptionKind<string> = /* @__PURE__ */ kind('a string', (value) => typeof value === 'string');

/** Any object except a list, not copied. */
export function object<T extends object>(): OptionKind<T> {
  return kind('an object', (value) => typeof value === 'object' && value !== null && !Array.isArray(value));
}

/** A string with at least one character that is not blank. It is trimmed. */
export function text(wanted = 'a string that is not blank'): OptionKind<string> {
  return new OptionKind(wanted, (value, place) => {
    if (typeof value !== 'string' || value.trim() === '') throw wrong(place, wanted);
    return value.trim();
  });
}

/** A whole number within bounds, both included; `unit` is a plural, for example `milliseconds`. */
export function integer(least: number, most: number = Number.MAX_SAFE_INTEGER, unit = ''): OptionKind<number> {
  return kind(
    `a whole number${unit === '' ? '' : ` of ${unit}`}${bounds(least, most, Number.MAX_SAFE_INTEGER)}`,
    (value) => Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= most,
  );
}

/** A finite number within bounds, both included; `unit` is a plural, for example `milliseconds`. */
export function number(least: number, most: number = Number.MAX_VALUE, unit = ''): OptionKind<number> {
  return kind(
    `a number${unit === '' ? '' : ` of ${unit}`}${bounds(least, most, Number.MAX_VALUE)}`,
    (value) => typeof value === 'number' && value >= least && value <= most,
  );
}

/** One of the given strings. */
export function oneOf<const V extends string>(...values: readonly V[]): OptionKind<V> {
  const words = values.map((value) => `"${value}"`);
  return kind(joinWords(words, 'or'), (value) => values.includes(value as V));
}

/** An object with these functions: a clock, a logger, an AWS client. */
export function withMethods<T extends object>(...names: readonly (keyof T & string)[]): OptionKind<T> {
  const words = joinWords(
    names.map((name) => `${name}()`),
    'and',
  );
  return kind(`an object with ${words}`, (value) => {
    if (typeof value !== 'object' || value === null) return false;
    return names.every((name) => typeof (value as Record<string, unknown>)[name] === 'function');
  });
}

/** A list whose members are all of one kind. */
export function list<T>(member: OptionKind<T>, wanted = `a list, each ${member.wanted}`): OptionKind<readonly T[]> {
  return new OptionKind(wanted, (value, place) => {
    if (!Array.isArray(value)) throw wrong(place, wanted);
    return value.map((item, index) => member.read(item ?? null, { ...place, name: `${place.name}[${index}]` }) as T);
  });
}

/** A nested set of options; its members are named `outer.inner` in errors. */
export function group<T extends object>(): <K extends OptionKinds<T>>(kinds: K) => OptionKind<T> {
  return (kinds) => new OptionKind('an object', (value, place) => parseMembers(kinds, value, place) as unknown as T);
}

/** Values that a test function accepts, with the description for errors. */
export function kind<T>(wanted: string, accepts: (value: unknown) => boolean): OptionKind<T> {
  return new OptionKind(wanted, (value, place) => {
    if (!accepts(value)) throw wrong(place, wanted);
    return value as T;
  });
}

/** Values that a parser accepts. The parser throws its own error, which names the option. */
export function parsed<T>(wanted: string, parse: (value: unknown, name: string) => T): OptionKind<T> {
  return new OptionKind(wanted, (value, place) => parse(value, place.name));
}

/** The error for a value that its option does not accept. */
export function wrong({ name, fail }: OptionPlace, wanted: string): Error {
  return fail(`option "${name}" must be ${wanted}`);
}

function parseMembers<K extends Readonly<Record<string, OptionKind<unknown, unknown>>>>(
  kinds: K,
  given: unknown,
  { name: outer, environment, fail }: OptionPlace,
): ParsedOptions<K> {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    const members = Object.keys(kinds).join(', ');
    throw fail(outer === '' ? 'options must be an object' : `option "${outer}" must be an object with ${members}`);
  }
  const prefix = outer === '' ? '' : `${outer}.`;
  for (const key of Reflect.ownKeys(given)) {
    if (typeof key !== 'string' || !Object.hasOwn(kinds, key)) throw fail(unknownOption(prefix, String(key), kinds));
  }
  const values = createFastMap<unknown>();
  for (const key of Object.keys(kinds)) {
    const value: unknown = Object.hasOwn(given, key) ? (given as Record<string, unknown>)[key] : undefined;
    values[key] = (kinds[key] as OptionKind<unknown, unknown>).read(value, { name: prefix + key, environment, fail });
  }
  return values as ParsedOptions<K>;
}

function unknownOption(prefix: string, key: string, kinds: object): string {
  return `unknown option "${prefix}${key}"; known are ${Object.keys(kinds).join(', ')}`;
}

/** Variables are read from the option `environment`, if present. */
function environmentOf(options: object | undefined): Environment {
  const given = (options as { environment?: unknown } | undefined)?.environment;
  return typeof given === 'object' && given !== null ? (given as Environment) : process.env;
}

/** The default error for invalid options. */
export function invalidConfiguration(problem: string): FrameworkError {
  return new FrameworkError(INVALID_CONFIGURATION, `framework: ${problem}`);
}

/** `a`, `a or b`, `a, b or c`. */
function joinWords(words: readonly string[], last: 'and' | 'or'): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} ${last} ${words[words.length - 1]}`;
}

function bounds(least: number, most: number, unbounded: number): string {
  if (most === unbounded) return `, at least ${least}`;
  return ` from ${least} to ${String(most).replace(/\B(?=(\d{3})+$)/g, ',')}`;
}

/** Code of every invalid option; thrown at construction or registration. */
export const INVALID_CONFIGURATION = 'app.invalid_configuration';

/** The error of an invalid option; it contains the name and never the value. */
export function invalidOption(key: string, wanted: string): FrameworkError {
  return invalidConfiguration(`option "${key}" must be ${wanted}`);
}

/**
 * Rejects arguments that a registration does not have. A second posture or misplaced options must not be dropped silently:
 * the caller expects them to have an effect.
 *
 * @param surplus arguments after the last parameter
 * @param usage the call as it should be, `topic(name, handler)`
 * @throws FrameworkError `framework: too many arguments, expected <usage>`
 */
export function assertNoSurplus(surplus: readonly unknown[], usage: string): void {
  if (surplus.length === 0) return;
  throw new FrameworkError(INVALID_CONFIGURATION, `framework: too many arguments, expected ${usage}`);
}
