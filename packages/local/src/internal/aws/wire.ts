import { brandError } from '@sallyport/core/pipeline';

/** The region that all names of a run stand in. */
export const REGION = 'us-east-1';

/** A request as it arrived, its body still unread. */
export interface WireRequest {
  readonly method: string;
  /** Still encoded, without the query. */
  readonly path: string;
  /** Still encoded, without `?`. */
  readonly query: string;
  /** Names in lower case; repeated ones joined by a comma. `host` is there with HTTP/2 too. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: AsyncIterable<Buffer>;
}

/** What is sent back. */
export interface WireAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer | string | AsyncIterable<Uint8Array>;
}

/** An error as an AWS service answers it. Its text is for the developer's own client. */
export class AwsFault extends Error {
  static {
    brandError(AwsFault, 'sallyport.AwsFault');
  }

  override readonly name = 'AwsFault';

  /**
   * @param status of HTTP
   * @param code the error's name: `AccessDenied`
   * @param members further members of an error in XML or JSON
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
 * All of a body. What is too much is read and dropped: a client that still sends does not read the answer.
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

/** Text as XML contains it. */
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

/** A value as XML has it: members of an object are elements, a list repeats its element, `undefined` is left out. */
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
