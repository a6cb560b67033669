/** Version, trace id, parent id and flags, as W3C Trace Context section 3.2 lays them out. */
const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(-.*)?$/i;
const XRAY_ROOT = /(?:^|;)\s*Root=(1-[0-9a-f]{8}-([0-9a-f]{24}))\s*(?:;|$)/i;
const ZEROS = /^0+$/;

/** The trace id of a `traceparent` value in lower case, or `''` when the value is not valid. */
export function parseTraceparent(value: string): string {
  const match = TRACEPARENT.exec(value.trim());
  if (!match) return '';
  const [, version = '', traceId = '', parentId = '', rest] = match;
  if (version.toLowerCase() === 'ff' || (version === '00' && rest !== undefined)) return '';
  return ZEROS.test(traceId) || ZEROS.test(parentId) ? '' : traceId.toLowerCase();
}

/** The `Root=` of an X-Ray trace header with its case kept, or `''`. */
export function parseXrayTraceHeader(value: string): string {
  const match = XRAY_ROOT.exec(value);
  return match && !ZEROS.test(match[2] ?? '') ? (match[1] ?? '') : '';
}

/** The first valid trace id of a list of `[parser, value]` sources; nothing is invented. */
export function firstTraceId(traceparent: string, xray: string): string {
  return (traceparent === '' ? '' : parseTraceparent(traceparent)) || (xray === '' ? '' : parseXrayTraceHeader(xray));
}
