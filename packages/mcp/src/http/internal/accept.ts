/** What a client takes. */
export interface Accepted {
  readonly json: boolean;
  readonly sse: boolean;
  /** Both, and the event stream rather: by its quality value, or by standing first. */
  readonly ratherSse?: boolean;
}

const BOTH: Accepted = { json: true, sse: true };
/** What the official clients send. */
const USUAL = 'application/json, text/event-stream';

interface Weight {
  readonly quality: number;
  readonly place: number;
}

const ABSENT: Weight = { quality: 0, place: Number.POSITIVE_INFINITY };

/** Lenient: no header, wildcards and either type alone are taken; `undefined` is 406 (RFC 9110 section 12.5.1). */
export function parseAccept(values: readonly string[]): Accepted | undefined {
  const text = values.join(',');
  if (text === USUAL || text.trim() === '') return BOTH;
  let json = ABSENT;
  let sse = ABSENT;
  for (const [place, part] of text.toLowerCase().split(',').entries()) {
    const [type = '', ...parameters] = part.split(';').map((piece) => piece.trim());
    const weight = { quality: qualityOf(parameters), place: type.includes('*') ? ABSENT.place : place };
    if (takes(type, 'application', 'json') && weight.quality > json.quality) json = weight;
    if (takes(type, 'text', 'event-stream') && weight.quality > sse.quality) sse = weight;
  }
  if (json.quality === 0 && sse.quality === 0) return undefined;
  const ratherSse = sse.quality > json.quality || (sse.quality === json.quality && sse.place < json.place);
  return { json: json.quality > 0, sse: sse.quality > 0, ratherSse };
}

function takes(range: string, type: string, subtype: string): boolean {
  return range === `${type}/${subtype}` || range === `${type}/*` || range === '*/*';
}

function qualityOf(parameters: readonly string[]): number {
  const quality = parameters.find((parameter) => parameter.startsWith('q='));
  const value = quality === undefined ? 1 : Number(quality.slice(2));
  return value >= 0 && value <= 1 ? value : 0;
}
