/**
 * The natural key of an event: its id and the places within which the id is unique, joined by `|`. `undefined` for a blank id.
 *
 * @param parts the places, then the id; `%` and `|` in a part are escaped, so that no two lists have the same key
 */
export function keyOf(...parts: readonly string[]): string | undefined {
  if ((parts.at(-1) ?? '').trim() === '') return undefined;
  return parts.map((part) => part.replaceAll('%', '%25').replaceAll('|', '%7C')).join('|');
}
