import { kind, type OptionKind } from '@sallyport/core/options';

/** True if a value is an object, and not a list. */
export const isPlain = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** An object whose members have one form. */
export function mapOf<T>(
  wanted: string,
  isMember: (value: unknown) => boolean,
): OptionKind<Readonly<Record<string, T>>> {
  return kind(wanted, (value) => isPlain(value) && Object.values(value).every(isMember));
}

/** Settings of sources by name. The engines validate them. */
export const namedSettings = mapOf<object>('an object with an object of settings for each name', isPlain);
