import { decodeEscapes } from '@sallyport/core/internal';
import type { Call, Output } from '../../aws/service.js';
import { queryPairs } from '../../aws/signature.js';
import { AwsFault, escapeXml, readBody, toXml, type XmlValue } from '../../aws/wire.js';
import type { Bucket, BucketStore, StoredChange } from './store.js';

const XMLNS = 'http://s3.amazonaws.com/doc/2006-03-01/';
const MAX_XML_BYTES = 2_097_152;

/** The context that the operations of S3 share. */
export interface S3Context {
  readonly store: BucketStore;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Notified of each change. Must not throw. */
  readonly onChange: (change: StoredChange, traceId: string | undefined) => void;
}

/** A request for a bucket or an object in it. */
export interface S3Request {
  readonly call: Call;
  readonly context: S3Context;
  readonly method: string;
  readonly bucketName: string;
  /** Decoded once; `''` for the bucket itself. */
  readonly key: string;
  readonly query: ReadonlyMap<string, string>;
  readonly headers: Readonly<Record<string, string>>;
}

/** A request for an object in an existing bucket. */
export interface ObjectRequest extends S3Request {
  readonly bucket: Bucket;
}

export function toS3Request(call: Call, context: S3Context): S3Request {
  const { method, path, query, headers } = call.request;
  const [, bucketName = '', key = ''] = /^\/([^/]*)\/?(.*)$/s.exec(path) ?? [];
  const request = { call, context, method, headers, query: new Map(queryPairs(query)) };
  return { ...request, bucketName: decodeEscapes(bucketName), key: decodeEscapes(key) };
}

/** A response in XML. */
export function xmlAnswer(root: string, members: XmlValue, status = 200): Output {
  const xml = toXml(root, members).replace(`<${root}>`, `<${root} xmlns="${XMLNS}">`);
  const body = `<?xml version="1.0" encoding="UTF-8"?>\n${xml}`;
  return { wire: { status, headers: { 'content-type': 'application/xml' }, body } };
}

/** A response without a body. */
export function emptyAnswer(status: number, headers: Readonly<Record<string, string | undefined>> = {}): Output {
  return { wire: { status, headers: given(headers) } };
}

/** The headers whose value is not `undefined`. */
export function given(headers: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter((pair): pair is [string, string] => pair[1] !== undefined));
}

/** The XML document of a request. */
export async function readXml({ call }: S3Request): Promise<string> {
  return (await readBody(call.request.body, MAX_XML_BYTES)).toString();
}

/** The contents of all elements of a name, still escaped. */
export function elements(xml: string, name: string): readonly string[] {
  return [...xml.matchAll(new RegExp(`<${name}(?:\\s[^>]*)?>(.*?)</${name}>`, 'gs'))].map(([, inner]) => inner ?? '');
}

/** The contents of the first element of a name; `undefined` if absent. */
export function elementText(xml: string, name: string): string | undefined {
  const [inner] = elements(xml, name);
  return inner?.replace(
    /&(?:#x([0-9a-f]+)|#(\d+)|(\w+));/gi,
    (entity, hex?: string, decimal?: string, named?: string) => {
      if (hex !== undefined) return String.fromCodePoint(Number.parseInt(hex, 16));
      if (decimal !== undefined) return String.fromCodePoint(Number(decimal));
      return ENTITIES[named ?? ''] ?? entity;
    },
  );
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

export function noSuchKey(key: string, members: Readonly<Record<string, string>> = {}): AwsFault {
  return new AwsFault(404, 'NoSuchKey', 'The specified key does not exist.', { Key: escapeXml(key), ...members });
}
