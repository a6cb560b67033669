import { brandError } from '@sallyport/core/internal';

/** A received request with an unread body. */
export interface WireRequest {
  readonly method: string;
  /** Still encoded, without the query. */
  readonly path: string;
  /** Still encoded, without `?`. */
  readonly query: string;
  /** Names in lower case; repeated headers are joined by a comma. With HTTP/2, `host` is set too. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: AsyncIterable<Buffer>;
}

/** A response. */
export interface WireAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer | string | AsyncIterable<Uint8Array>;
}

/** An error response of an AWS service. Its message is for the developer's client. */
export class AwsFault extends Error {
  static {
    brandError(AwsFault, 'sallyport.AwsFault');
  }

  override readonly name = 'AwsFault';

  /**
   * @param status the HTTP status
   * @param code the error's name: `AccessDenied`
   * @param members additional members of an error in XML or JSON
   */
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly members: Readonly<Record<string, string>> = {},
  ) {
    super(message);
  }
}

/**
 * Reads a whole body. Excess bytes are read and dropped: a client that still sends does not read the response.
 *
 * @throws AwsFault for more than `most` bytes
 */
export async function readBody(body: AsyncIterable<Buffer>, most: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    if (length > most) chunks.length = 0;
    else chunks.push(chunk);
  }
  if (length > most) throw new AwsFault(413, 'RequestEntityTooLarge', `the request has more than ${most} bytes`);
  return Buffer.concat(chunks);
}

/** Escapes a string for XML. */
export function escapeXml(text: string): string {
  return text.replace(
    // biome-ignore lint/suspicious/noControlCharactersInRegex: XML cannot hold them
    /[&<>"'\r\u0000-\u0008\u000b\u000c\u000e-\u001f]/g,
    (character) => ESCAPES[character] ?? `&#x${character.charCodeAt(0).toString(16)};`,
  );
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

/** A value for XML: members of an object are elements, a list repeats its element, `undefined` is omitted. */
export type XmlValue =
  | string
  | number
  | boolean
  | undefined
  | readonly XmlValue[]
  | { readonly [name: string]: XmlValue };

/** One element, or one for each value of a list. */
export function toXml(name: string, value: XmlValue): string {
  if (value === undefined) return '';
  if (Array.isArray(value)) return value.map((item: XmlValue) => toXml(name, item)).join('');
  if (typeof value !== 'object') return `<${name}>${escapeXml(String(value))}</${name}>`;
  const members = Object.entries(value as Record<string, XmlValue>).map(([member, inner]) => toXml(member, inner));
  return `<${name}>${members.join('')}</${name}>`;
}
