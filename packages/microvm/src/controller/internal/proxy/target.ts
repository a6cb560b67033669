import { decodePercent } from '@sallyport/core/internal';
import { invalidRequest } from '../../../errors.js';
import type { PortScope } from '../../../provider/provider.js';
import { includesPort } from '../../options.js';

/** Path of a machine's lifecycle hooks; requests to it are rejected. */
const HOOK_PATH = '/aws/lambda-microvms/';
/** Bytes that a request line must not contain (RFC 9112 section 3), raw or escaped in the path. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern is about control characters
const CONTROLS = /[\u0000-\u0020\u007f-\uffff]/;
const ESCAPED_CONTROLS = /%(?:00|0a|0d)/i;
const DECODINGS = 3;

/**
 * Validates path and query, and returns them without decoding.
 *
 * @throws MicrovmError `microvm.invalid_request` for NUL, CR, LF, other characters that must be escaped, and the path of the hooks
 */
export function checkTarget(target: unknown): string {
  if (typeof target !== 'string' || !target.startsWith('/') || CONTROLS.test(target) || target.includes('#')) {
    throw invalidRequest('the path must begin with "/" without control characters, blanks and "#"');
  }
  const [path = ''] = target.split('?', 1);
  if (ESCAPED_CONTROLS.test(path)) throw invalidRequest('the path must not contain NUL, CR or LF');
  if (isHookPath(path)) throw invalidRequest('the path belongs to the lifecycle hooks');
  return target;
}

/** True if a path leads to the hooks, even with escapes, doubled slashes, dots or capitals. */
function isHookPath(path: string): boolean {
  let decoded = path;
  for (let round = 0; round < DECODINGS; round += 1) decoded = decodePercent(decoded);
  const parts: string[] = [];
  for (const part of decoded.toLowerCase().replaceAll('\\', '/').split('/')) {
    const name = part.split(';', 1)[0] ?? '';
    if (name === '..') parts.pop();
    else if (name !== '' && name !== '.') parts.push(name);
  }
  return `/${parts.join('/')}/`.startsWith(HOOK_PATH);
}

/**
 * The port of a request. Default: the first allowed port.
 *
 * @throws MicrovmError `microvm.invalid_request`
 */
export function checkPort(port: unknown, allowed: readonly PortScope[]): number {
  const [first] = allowed;
  if (port === undefined && first !== undefined) return 'port' in first ? first.port : first.start;
  if (Number.isInteger(port) && allowed.some((scope) => includesPort(scope, port as number))) return port as number;
  throw invalidRequest('the port must be one of the allowed ports');
}

/**
 * The target of the program's redirect: on the program's host the route of the session, else an absolute `https` or `http` URL.
 * `undefined` for any other URL, such as `javascript:`, which must not reach a client from the controller's origin.
 */
export function rewriteLocation(
  location: string,
  host: string,
  path: string,
  publicPath: string | undefined,
): string | undefined {
  const base = `https://${host}${path}`;
  if (!URL.canParse(location, base)) return undefined;
  const target = new URL(location, base);
  if (target.protocol !== 'https:' && target.protocol !== 'http:') return undefined;
  if (target.host !== host) return target.href;
  return publicPath === undefined ? location : `${publicPath}${target.pathname}${target.search}${target.hash}`;
}
