import { createMap, type MultiMap } from '@sallyport/core';
import { append, decodeQueryPart, toStringList } from '@sallyport/core/pipeline';

/** Query text to values: split at `&` and the first `=`, decoded once. */
export function parseQuery(text: string): MultiMap {
  const query: MultiMap = createMap();
  for (const pair of text.split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = equals < 0 ? pair : pair.slice(0, equals);
    append(query, decodeQueryPart(name), decodeQueryPart(equals < 0 ? '' : pair.slice(equals + 1)));
  }
  return query;
}

/** Query maps of an event: the multi-value one, then the single keys that it lacks. */
export function mapQuery(multi: unknown, single: unknown, decode: (text: string) => string): MultiMap {
  const query: MultiMap = createMap();
  for (const source of [multi, single]) {
    if (typeof source !== 'object' || source === null) continue;
    const added: MultiMap = createMap();
    for (const key of Object.keys(source)) {
      const name = decode(key);
      if (name in query) continue;
      const values = toStringList((source as Record<string, unknown>)[key]).map(decode);
      if (values.length > 0) append(added, name, values);
    }
    Object.assign(query, added);
  }
  return query;
}

/** For maps that AWS has decoded already. */
export function asIs(text: string): string {
  return text;
}
