const ESCAPES = /(?:%[0-9a-f]{2})+/gi;

/** Percent-decoding, once (RFC 3986 section 2.1). An escape that is malformed or no UTF-8 stays as it is. */
export function decodePercent(text: string): string {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return text.replace(ESCAPES, decodeRun);
  }
}

function decodeRun(run: string): string {
  try {
    return decodeURIComponent(run);
  } catch {
    return run;
  }
}

/** A name or value of a query: `+` is a space, then percent-decoding. */
export function decodeQueryPart(text: string): string {
  return decodePercent(text.includes('+') ? text.replaceAll('+', ' ') : text);
}
