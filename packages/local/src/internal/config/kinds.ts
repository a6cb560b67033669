import { isObject } from '@sallyport/core/internal';
import { kind, type OptionKind } from '@sallyport/core/options';

/** An object whose members have one form. */
export function mapOf<T>(
  wanted: string,
  isMember: (value: unknown) => boolean,
): OptionKind<Readonly<Record<string, T>>> {
  return kind(wanted, (value) => isObject(value) && Object.values(value).every(isMember));
}

/** Settings of sources by name. The engines validate them. */
export const namedSettings = mapOf<object>('an object with an object of settings for each name', isObject);
