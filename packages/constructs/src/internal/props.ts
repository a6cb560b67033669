import { isWhole } from '@sallyport/core/internal';
import {
  defineOptions,
  OptionKind,
  type OptionKinds,
  type OptionPlace,
  type ParsedOptions,
} from '@sallyport/core/options';
import { Duration, Token } from 'aws-cdk-lib/core';
import type { IConstruct } from 'constructs';
import { misuse, show } from './misuse.js';

/** The closed set of props of one construct. */
export interface PropSet<T, K> {
  /** The kind of each prop, by name. */
  readonly kinds: K;
  /**
   * The props with their defaults.
   *
   * @throws ConstructError `constructs.invalid_prop` for an unknown key or a wrong value, `constructs.literal_needed` for a token
   *   where the value is needed at synth
   */
  parse(at: IConstruct, props: T | undefined): ParsedOptions<K>;
}

/** Carries the fields of {@link misuse} through the string messages of options. */
class PropProblem extends Error {
  readonly got: unknown;
  readonly what: string;
  readonly wanted: string;
  readonly isToken: boolean;

  constructor(what: string, got: unknown, wanted: string, isToken = false) {
    super(what);
    this.what = what;
    this.got = got;
    this.wanted = wanted;
    this.isToken = isToken;
  }
}

/** Describes the props of a construct once: names, types, bounds and defaults. An unknown prop is an error. */
export function defineProps<T extends object>(
  className: string,
): <K extends OptionKinds<T>>(kinds: K) => PropSet<T, K> {
  return (kinds) => {
    const options = defineOptions<T>()(kinds, { fail: (problem) => new PropProblem(problem, undefined, '') });
    return {
      kinds,
      parse(at, props) {
        try {
          return options.parse(props);
        } catch (error) {
          if (!(error instanceof PropProblem)) throw error;
          const { what, got, wanted, isToken } = error;
          const code = isToken ? ('constructs.literal_needed' as const) : ('constructs.invalid_prop' as const);
          if (wanted !== '') throw misuse(at, { what, got, expected: wanted, code }, className);
          const [, missing, expected] = /^option "(.+)" must be (.+)$/s.exec(what) ?? [];
          if (missing !== undefined && expected !== undefined) {
            throw misuse(at, { what: `${missing} is missing`, expected }, className);
          }
          const known = Object.keys(kinds).join(', ');
          throw misuse(
            at,
            { what: what.replaceAll('option', 'prop').replace(/;.*$/s, ''), expected: known },
            className,
          );
        }
      },
    };
  };
}

function problem(place: OptionPlace, value: unknown, wanted: string): Error {
  return new PropProblem(place.name, value, wanted);
}

/** A prop with a test; a token is accepted, because its value is unknown. */
export function prop<T>(wanted: string, accepts: (value: unknown) => boolean): OptionKind<T> {
  return new OptionKind(wanted, (value, place) => {
    if (!Token.isUnresolved(value) && !accepts(value)) throw problem(place, value, wanted);
    return value as T;
  });
}

/** A prop that must be known at synth: a token is rejected. */
export function literal<T>(wanted: string, accepts: (value: unknown) => boolean): OptionKind<T> {
  return new OptionKind(wanted, (value, place) => {
    if (Token.isUnresolved(value)) throw new PropProblem(place.name, value, `${wanted}, as a literal`, true);
    if (!accepts(value)) throw problem(place, value, wanted);
    return value as T;
  });
}

/** A whole number within bounds, both included. */
export function count(least: number, most: number): OptionKind<number> {
  return prop(`a whole number from ${least} to ${most}`, (value) => isWhole(value, least, most));
}

/** A number above 0 and at most the limit. */
export function fraction(most: number): OptionKind<number> {
  return prop(
    `a number above 0 and at most ${most}`,
    (value) => typeof value === 'number' && value > 0 && value <= most,
  );
}

/** A whole number within bounds that must be known at synth. */
export function literalCount(least: number, most: number): OptionKind<number> {
  return literal(`a whole number from ${least} to ${most}`, (value) => isWhole(value, least, most));
}

/** `true` or `false`. */
export const flag: OptionKind<boolean> = literal('true or false', (value) => typeof value === 'boolean');

/** A string that is not blank; a token is accepted. */
export function words(wanted = 'a string that is not blank', pattern = /\S/): OptionKind<string> {
  return prop(wanted, (value) => typeof value === 'string' && pattern.test(value));
}

/** A string that must be known at synth. */
export function literalWords(wanted = 'a string that is not blank', pattern = /\S/): OptionKind<string> {
  return literal(wanted, (value) => typeof value === 'string' && pattern.test(value));
}

/** A duration between two limits in seconds, both included. Tokens are accepted as its amount. */
export function time(least: number, most: number): OptionKind<Duration> {
  return prop(
    `a Duration from ${Duration.seconds(least).toHumanString()} to ${Duration.seconds(most).toHumanString()}`,
    (value) => {
      if (!isDuration(value)) return false;
      if (value.isUnresolved()) return true;
      const seconds = value.toMilliseconds() / 1000;
      return seconds >= least && seconds <= most;
    },
  );
}

function isDuration(value: unknown): value is Duration {
  return typeof value === 'object' && value !== null && typeof (value as Duration).toMilliseconds === 'function';
}

/** An object of the CDK with these members, for example a queue: `thing<IQueue>('a queue', 'queueArn')`. */
export function thing<T extends object>(wanted: string, ...members: readonly (keyof T & string)[]): OptionKind<T> {
  const fits = (value: unknown) =>
    typeof value === 'object' && value !== null && members.every((member) => member in value);
  return new OptionKind(wanted, (value, place) => {
    if (Token.isUnresolved(value) || fits(value)) return value as T;
    // A construct of this package contains the object of the CDK: `ServiceFunction.fn`, `ServiceQueue.queue`.
    const [owner] = Object.entries(value ?? {}).find(([, member]) => fits(member)) ?? [];
    throw problem(place, value, owner === undefined ? wanted : `${wanted}: its .${owner}`);
  });
}

/** A list; its members are checked by `accepts`. */
export function many<T>(wanted: string, accepts: (value: unknown) => boolean): OptionKind<readonly T[]> {
  return prop(
    wanted,
    (value) => Array.isArray(value) && value.every((item) => Token.isUnresolved(item) || accepts(item)),
  );
}

/** One of some strings. */
export function choice<const V extends string>(...values: readonly V[]): OptionKind<V> {
  return literal(values.map((value) => show(value)).join(' or '), (value) => values.includes(value as V));
}

/** A list of different account numbers. `*` and ARNs are rejected. */
export const accountList: OptionKind<readonly string[]> = literal(
  'a list of different account numbers, 12 digits each',
  (value) =>
    Array.isArray(value) &&
    value.every((one) => typeof one === 'string' && /^\d{12}$/.test(one)) &&
    new Set(value).size === value.length,
);
