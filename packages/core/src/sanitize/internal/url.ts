import { decodeQueryPart } from '../../request/percent.js';
import { REDACTED } from '../masks.js';
import type { KeyJudge } from './keys.js';

/** A URL without user info, its path scrubbed, its query and fragment judged pair by pair. */
export function scrubUrl(url: URL, judge: KeyJudge, prose: (text: string) => string): string {
  const authority = url.host === '' ? '' : `//${url.host}`;
  const query = url.search === '' ? '' : `?${scrubPairs(url.search.slice(1), judge, prose)}`;
  const fragment = url.hash === '' ? '' : `#${scrubPairs(url.hash.slice(1), judge, prose)}`;
  return `${url.protocol}${authority}${prose(url.pathname)}${query}${fragment}`;
}

function scrubPairs(query: string, judge: KeyJudge, prose: (text: string) => string): string {
  const pairs = query.split('&').map((pair) => {
    const equals = pair.indexOf('=');
    if (equals < 0) return pair;
    const name = decodeQueryPart(pair.slice(0, equals));
    const secret = judge(name, '') !== 'clean' || /^x-amz-(?:signature|credential|security-token)$/i.test(name);
    return secret ? `${pair.slice(0, equals)}=${REDACTED}` : pair;
  });
  return prose(pairs.join('&'));
}
