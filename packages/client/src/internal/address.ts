import { ClientError } from '../errors.js';

type Fields = Readonly<Record<string, unknown>>;

/** The URL of a request: a parameter is one segment, `{rest+}` one or more (RFC 3986 section 3.3); a list in the query is repeated. */
export function addressOf(base: string, path: string, params: Fields = {}, query: Fields = {}): string {
  const filled = path.replace(/\{(.+?)(\+?)\}/g, (_match, name: string, rest: string) => {
    const value = String(params[name] ?? '');
    const segments = rest ? value.split('/') : [value];
    // A URL parser removes dot segments, also encoded ones: the request would reach another path.
    if (segments.some((segment) => /^\.{0,2}$/.test(segment)))
      throw new ClientError('client.invalid_request', `params.${name} has an empty segment, "." or ".."`);
    return segments.map(encodeURIComponent).join('/');
  });
  const search = new URLSearchParams(
    Object.entries(query).flatMap(([name, value]) =>
      [value].flat().flatMap((item) => (item === undefined ? [] : [[name, String(item)] as [string, string]])),
    ),
  );
  // RFC 3986 has no plus sign for a space.
  const text = `${search}`.replaceAll('+', '%20');
  return base.replace(/\/$/, '') + filled + (text && `?${text}`);
}
