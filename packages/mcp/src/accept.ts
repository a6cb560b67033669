/** What a client takes. */
export interface Accepted {
  readonly json: boolean;
  readonly sse: boolean;
}

const BOTH: Accepted = { json: true, sse: true };

/** Lenient: no header, wildcards and either type alone are taken; `undefined` is 406. */
export function parseAccept(values: readonly string[]): Accepted | undefined {
  const text = values.join(',');
  if (text.trim() === '' || text === 'application/json, text/event-stream') return BOTH;
  let json = false;
  let sse = false;
  for (const part of text.toLowerCase().split(',')) {
    const [type = '', ...parameters] = part.split(';').map((piece) => piece.trim());
    if (parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter))) continue;
    if (type === '*/*') return BOTH;
    json ||= type === 'application/json' || type === 'application/*';
    sse ||= type === 'text/event-stream' || type === 'text/*';
  }
  return json || sse ? { json, sse } : undefined;
}
