import { sha256 } from '@sallyport/core/internal';
import type { SessionKey } from '../../../registry/registry.js';

/** RFC 6265 section 4.1.1, with the attributes. */
const SET_COOKIE = /^([^=;\s]+)=([^;]*)(.*)$/s;

/** Prefix of a session's cookie names, so that sessions on one origin have separate cookies. */
export function cookiePrefix({ tenantId, namespace, sessionId }: SessionKey): string {
  return `mvm-${sha256(JSON.stringify([tenantId, namespace, sessionId])).slice(0, 16)}-`;
}

/** The session's cookies in a request, with the program's names; `''` if absent. */
export function cookiesIn(values: readonly string[], prefix: string): string {
  const pairs = values.flatMap((value) => value.split(';')).map((pair) => pair.trim());
  return pairs
    .filter((pair) => pair.startsWith(prefix))
    .map((pair) => pair.slice(prefix.length))
    .join('; ');
}

/** The cookies of a response as cookies of the session: renamed, for its route only, and without a domain. */
export function cookiesOut(values: readonly string[], prefix: string, path: string): string[] {
  return values.flatMap((value) => {
    const [, name = '', content = '', rest = ''] = SET_COOKIE.exec(value.trim()) ?? [];
    if (name === '') return [];
    const attributes = rest
      .split(';')
      .map((attribute) => attribute.trim())
      .filter((attribute) => attribute !== '' && !/^(?:path|domain)\s*(?:=|$)/i.test(attribute));
    return [[`${prefix}${name}=${content}`, ...attributes, `Path=${path}`].join('; ')];
  });
}
