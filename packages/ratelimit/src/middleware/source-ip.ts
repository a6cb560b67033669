import type { Context } from '@sallyport/core';
import { defineOptions, integer } from '@sallyport/core/options';
import { canonicalIp } from '@sallyport/core/pipeline';
import { invalidConfig } from '../errors.js';

/** Options of {@link bySourceIp}. */
export interface BySourceIpOptions {
  /** Bits of an IPv6 address that count, 1 to 128. Default 64, because one subscriber usually has a whole /64. */
  readonly ipv6Prefix?: number;
}

/** What {@link BySourceIpOptions} may be. */
export const SOURCE_IP_OPTIONS = defineOptions<BySourceIpOptions>()(
  { ipv6Prefix: integer(1, 128).default(64) },
  { fail: invalidConfig },
);

const MAPPED = '::ffff:';
const GROUPS = 8;

/**
 * Identifies a caller by the source address that AWS reports: `ip:192.0.2.1`, `ip:2001:db8::`, or `ip:unknown`. Forwarding
 * headers are never read.
 *
 * @throws RateLimitError `ratelimit.invalid_config` for a wrong option
 * @example rateLimitPolicy({ limiter, extractIdentifier: bySourceIp({ ipv6Prefix: 56 }) })
 */
export function bySourceIp(options: BySourceIpOptions = {}): (ctx: Context) => string {
  const { ipv6Prefix: prefix } = SOURCE_IP_OPTIONS.parse(options);
  return (ctx) => {
    const { valid, sourceIP } = ctx.sourceProvenance();
    return valid ? `ip:${cutAddress(sourceIP, prefix)}` : 'ip:unknown';
  };
}

/** An IPv4 address written as IPv6 is not cut: all IPv4 callers would become one. */
function cutAddress(address: string, prefix: number): string {
  if (address.startsWith(MAPPED) && address.includes('.')) return address.slice(MAPPED.length);
  if (!address.includes(':')) return address;
  const cut = groupsOf(address).map((group, index) => group & maskOf(prefix - index * 16));
  return canonicalIp(cut.map((group) => group.toString(16)).join(':'));
}

/** The groups of an address in canonical form. */
function groupsOf(address: string): number[] {
  const [head = '', tail = ''] = address.split('::');
  const [before, after] = [parseGroups(head), parseGroups(tail)];
  return [...before, ...Array<number>(GROUPS - before.length - after.length).fill(0), ...after];
}

function parseGroups(text: string): number[] {
  return text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16));
}

/** The mask of a group of which only the first bits count. */
function maskOf(bits: number): number {
  return bits >= 16 ? 0xffff : (0xffff << (16 - Math.max(bits, 0))) & 0xffff;
}
