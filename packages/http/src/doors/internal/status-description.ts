/** Where RFC 9110 section 15.5 has other words than Node.js. */
const OWN: Readonly<Record<number, string>> = { 413: 'Content Too Large', 422: 'Unprocessable Content' };

/**
 * `200 OK`; the bare number when the status has no phrase. The phrases are those of Node.js itself, loaded by the first
 * answer to a load balancer: the runtime of Lambda has loaded the module by then.
 */
export function statusDescription(status: number): string {
  const phrase = OWN[status] ?? process.getBuiltinModule('node:http').STATUS_CODES[status];
  return phrase === undefined ? String(status) : `${status} ${phrase}`;
}
