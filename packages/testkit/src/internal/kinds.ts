import type { OneOrMany } from '@sallyport/core';
import { integer, kind, list, OptionKind, wrong } from '@sallyport/core/options';

/** An object of any members. */
export type Data = Readonly<Record<string, unknown>>;

/** Parsed options: every key is an own member, `undefined` if it was not given. */
export type Given<T> = { readonly [K in keyof T]-?: T[K] | undefined };

const isString = (value: unknown): value is string => typeof value === 'string';
const isData = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Uint8Array);
const isTexts = (value: unknown) => Array.isArray(value) && value.every(isString);
const isMap = (value: unknown, member: (value: unknown) => boolean) =>
  isData(value) && Object.values(value).every(member);

// Tests send blank and padded strings on purpose, so no kind trims.
export const anyText: OptionKind<string> = kind('a string', isString);
export const filled: OptionKind<string> = kind(
  'a string that is not blank',
  (value) => isString(value) && value.trim() !== '',
);
export const count: OptionKind<number> = integer(0);
export const positive: OptionKind<number> = integer(1);
export const anyNumber: OptionKind<number> = kind('a number', (value) => typeof value === 'number');
export const date: OptionKind<Date> = kind(
  'a valid Date',
  (value) => value instanceof Date && !Number.isNaN(value.getTime()),
);
export const anything: OptionKind<unknown> = kind('anything', () => true);
export const objectOrNull: OptionKind<Data | null> = kind(
  'an object or null',
  (value) => value === null || isData(value),
);
/** A body. Named, so that declarations carry the name: the inferred `Uint8Array<ArrayBufferLike>` is an error for TypeScript before 5.7. */
export type Content = string | Uint8Array;
export const content: OptionKind<Content> = kind(
  'a string or bytes',
  (value) => isString(value) || value instanceof Uint8Array,
);
export const textOrObject: OptionKind<string | object> = kind(
  'a string or an object',
  (value) => isString(value) || isData(value),
);
export const textMap: OptionKind<Readonly<Record<string, string>>> = kind('an object of strings', (value) =>
  isMap(value, isString),
);
export const textList: OptionKind<readonly string[]> = kind('a list of strings', isTexts);
export const oneOrMany: OptionKind<OneOrMany> = kind('an object of strings or lists of strings', (value) =>
  isMap(value, (member) => isString(member) || isTexts(member)),
);

/** An object with any members. */
export function object<T extends object = Data>(): OptionKind<T> {
  return kind('an object', isData);
}

/** A list of at least one member. */
export function someOf<T>(member: OptionKind<T>): OptionKind<readonly T[], never> {
  const members = list(member);
  const wanted = 'a list that is not empty';
  return new OptionKind<readonly T[]>(wanted, (value, place) => {
    if (!Array.isArray(value) || value.length === 0) throw wrong(place, wanted);
    return members.read(value, place) ?? [];
  }).required();
}
