/**
 * The canonical text of an IP address, or `''` if it is none: IPv4 without leading zeros as it is; IPv6 as RFC 5952 says
 * (lower case, the longest run of zero groups compressed), a mapped IPv4 as `::ffff:a.b.c.d`. A zone id is refused.
 */
export function canonicalIp(input: unknown): string {
  if (typeof input !== 'string') return '';
  const text = input.trim();
  if (parseIPv4(text)) return text;
  if (!text.includes(':')) return '';
  const groups = parseIPv6(text);
  return groups ? formatIPv6(groups) : '';
}

const IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/;

function parseIPv4(text: string): number[] | undefined {
  return IPV4.test(text) ? text.split('.').map(Number) : undefined;
}

/** Eight 16-bit groups, or `undefined`. */
function parseIPv6(text: string): number[] | undefined {
  const halves = text.split('::');
  if (halves.length > 2) return undefined;
  const [head, tail] = halves as [string, string?];
  const before = parseGroups(head, tail === undefined);
  const after = tail === undefined ? [] : parseGroups(tail, true);
  if (!before || !after) return undefined;
  const missing = 8 - before.length - after.length;
  if (tail === undefined ? missing !== 0 : missing < 1) return undefined;
  return [...before, ...Array<number>(missing).fill(0), ...after];
}

function parseGroups(text: string, last: boolean): number[] | undefined {
  if (text === '') return [];
  const groups: number[] = [];
  const parts = text.split(':');
  for (const [index, part] of parts.entries()) {
    const v4 = last && index === parts.length - 1 && part.includes('.') ? parseIPv4(part) : undefined;
    if (v4) {
      const [a, b, c, d] = v4 as [number, number, number, number];
      groups.push(a * 256 + b, c * 256 + d);
    } else if (/^[0-9a-fA-F]{1,4}$/.test(part)) {
      groups.push(Number.parseInt(part, 16));
    } else return undefined;
  }
  return groups;
}

function formatIPv6(groups: number[]): string {
  if (groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff) {
    const [high = 0, low = 0] = groups.slice(6);
    return `::ffff:${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`;
  }
  const { start, length } = longestZeroRun(groups);
  const hex = groups.map((group) => group.toString(16));
  if (length < 2) return hex.join(':');
  return `${hex.slice(0, start).join(':')}::${hex.slice(start + length).join(':')}`;
}

function longestZeroRun(groups: number[]): { start: number; length: number } {
  let best = { start: -1, length: 0 };
  for (let start = 0; start < groups.length; start += 1) {
    let end = start;
    while (groups[end] === 0) end += 1;
    if (end - start > best.length) best = { start, length: end - start };
  }
  return best;
}
