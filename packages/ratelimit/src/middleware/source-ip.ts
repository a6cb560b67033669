import { type Context, canonicalIp } from '@sallyport/core';
import { assertOptions, wholeNumber } from '../internal/options.js';

export interface BySourceIpOptions {
  /** Bits of an IPv6 address that count, 1 to 128; 64: one subscriber holds a whole /64. */
  readonly ipv6Prefix?: number;
}

const MAPPED = '::ffff:';
const GROUPS = 8;

/**
 * Identifies a caller by the address that the provider vouches for: `ip:192.0.2.1`, `ip:2001:db8::`, or `ip:unknown`.
 * Forwarding headers never count.
 *
 * @throws RateLimitError `ratelimit.invalid_config`
 */
export function bySourceIp(options: BySourceIpOptions = {}): (ctx: Context) => string {
  assertOptions(options, ['ipv6Prefix']);
  const prefix = wholeNumber('ipv6Prefix', options.ipv6Prefix ?? 64, 1, 128);
  return (ctx) => {
    const { valid, sourceIP } = ctx.sourceProvenance();
    return valid ? `ip:${cutAddress(sourceIP, prefix)}` : 'ip:unknown';
  };
}

/** An IPv4 address written as IPv6 is that IPv4 address: cut, all of them would be one. */
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

/** A group's mask of which so many bits count. */
function maskOf(bits: number): number {
  return bits >= 16 ? 0xffff : (0xffff << (16 - Math.max(bits, 0))) & 0xffff;
}
