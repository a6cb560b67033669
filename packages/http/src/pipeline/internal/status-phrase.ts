/** Phrases of RFC 9110 section 15.5 that differ from those of Node.js. */
const OWN_PHRASES: Readonly<Record<number, string>> = { 413: 'Content Too Large', 422: 'Unprocessable Content' };

/**
 * The words of a status, `Not Found`; `undefined` for a status that has none. They are those of Node.js itself, loaded when
 * first asked for: the runtime of Lambda has loaded the module by then.
 */
export function statusPhrase(status: number): string | undefined {
  return OWN_PHRASES[status] ?? process.getBuiltinModule('node:http').STATUS_CODES[status];
}
