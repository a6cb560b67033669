import { didYouMean, isObject } from '@sallyport/core/internal';
import { kind, OptionKind } from '@sallyport/core/options';

/** An object whose members have one form. */
export function mapOf<T>(
  wanted: string,
  isMember: (value: unknown) => boolean,
): OptionKind<Readonly<Record<string, T>>> {
  return kind(wanted, (value) => isObject(value) && Object.values(value).every(isMember));
}

const BY_NAME = 'an object with an object of settings for each name';

/** Settings of sources by name, each with these members. The error names the source and the nearest member. */
export function namedSettings(known: Readonly<Record<string, OptionKind<unknown, unknown>>>): OptionKind<SourceMap> {
  return new OptionKind<SourceMap>(BY_NAME, (value, { name, environment, fail }) => {
    if (!isObject(value)) throw fail(`option "${name}" must be ${BY_NAME}`);
    for (const [source, settings] of Object.entries(value)) {
      const place = `${name}.${source}`;
      if (!isObject(settings)) throw fail(`option "${place}" must be an object of settings`);
      for (const [key, given] of Object.entries(settings)) {
        const member = Object.hasOwn(known, key) ? known[key] : undefined;
        if (!member) throw fail(`unknown key "${place}.${key}"${didYouMean(key, Object.keys(known))}`);
        member.read(given, { name: `${place}.${key}`, environment, fail });
      }
    }
    return value as SourceMap;
  });
}

type SourceMap = Readonly<Record<string, object>>;

/** A setting that the source itself validates, such as filter patterns. */
export const anySetting = kind<unknown>('any value', () => true);
