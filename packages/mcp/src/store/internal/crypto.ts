/** `node:crypto` costs 6 ms at first touch, so nobody pays for it before a hash, a seal or a random id is wanted. */
export function nodeCrypto(): typeof import('node:crypto') {
  return process.getBuiltinModule('node:crypto');
}

/** SHA-256 of text as base64url. */
export function hashText(text: string): string {
  return nodeCrypto().createHash('sha256').update(text).digest('base64url');
}

/** Random bytes as base64url. */
export function randomText(bytes: number): string {
  return nodeCrypto().randomBytes(bytes).toString('base64url');
}

/** JSON with sorted keys, so that equal values give equal text (RFC 8785 in what matters here). */
function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item)).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([key, member]) => `${JSON.stringify(key)}:${canonicalJson(member)}`);
  return `{${members.join(',')}}`;
}

/** A digest that tells one question, or one set of arguments, from another. */
export function digestOf(value: unknown): string {
  return hashText(canonicalJson(value)).slice(0, 22);
}

/** Twelve bytes of HMAC-SHA-256 as base64url. */
export function macText(key: string | Uint8Array, text: string): string {
  return nodeCrypto().createHmac('sha256', key).update(text).digest('base64url').slice(0, 16);
}
