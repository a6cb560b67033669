import { sha256 } from '@sallyport/core/pipeline';
import type { SessionKey } from '../../../registry/registry.js';

/** RFC 6265 section 4.1.1, with the attributes behind. */
const SET_COOKIE = /^([^=;\s]+)=([^;]*)(.*)$/s;

/** What the names of a session's cookies begin with, so that sessions on one origin have cookies of their own. */
export function cookiePrefix({ tenantId, namespace, sessionId }: SessionKey): string {
  return `mvm-${sha256(JSON.stringify([tenantId, namespace, sessionId])).slice(0, 16)}-`;
}

/** The cookies of a request that belong to the session, under the names that the program gave them; `''` for none. */
export function cookiesIn(values: readonly string[], prefix: string): string {
  const pairs = values.flatMap((value) => value.split(';')).map((pair) => pair.trim());
  return pairs
    .filter((pair) => pair.startsWith(prefix))
    .map((pair) => pair.slice(prefix.length))
    .join('; ');
}

/** The cookies of an answer as cookies of the session: renamed, for its route alone, and of no other host. */
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
