const IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/;
const IPV6_CHARACTERS = /^[\da-f:.]+$/i;
const MAPPED = /^::ffff:([\da-f]{1,4}):([\da-f]{1,4})$/;

/**
 * The canonical text of an IP address, or `''` if it is none: IPv4 without leading zeros as it is; IPv6 as RFC 5952 says
 * (lower case, the longest run of zero groups compressed), a mapped IPv4 as `::ffff:a.b.c.d`. A zone id is refused.
 */
export function canonicalIp(input: unknown): string {
  if (typeof input !== 'string') return '';
  const text = input.trim();
  if (IPV4.test(text)) return text;
  // A URL writes the IPv6 address of its host as RFC 5952 says, but for mapped ones (URL standard, section 3.5).
  const url = `http://[${text}]`;
  if (!IPV6_CHARACTERS.test(text) || !URL.canParse(url)) return '';
  const canonical = new URL(url).hostname.slice(1, -1);
  const [mapped, high = '', low = ''] = MAPPED.exec(canonical) ?? [];
  return mapped === undefined ? canonical : `::ffff:${dotted(high)}.${dotted(low)}`;
}

/** Two bytes of an IPv4 address from four hex digits. */
function dotted(hex: string): string {
  const value = Number.parseInt(hex, 16);
  return `${value >> 8}.${value & 255}`;
}
