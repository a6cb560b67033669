import { AwsFault } from '../../aws/wire.js';
import type { ObjectVersion } from './store.js';

type Headers = Readonly<Record<string, string>>;

/**
 * True if a read is to be answered with 304; throws for failed conditions (RFC 9110 section 13.2.2, and S3: an entity tag
 * takes precedence over a date).
 *
 * @throws AwsFault 412
 */
export function isUnchanged(headers: Headers, version: ObjectVersion): boolean {
  const { 'if-match': match, 'if-none-match': noneMatch } = headers;
  const modified = Math.floor(version.modifiedAt / 1000) * 1000;
  if (match !== undefined) {
    if (!names(match, version.eTag)) throw failed('If-Match');
  } else if (modified > dateOf(headers['if-unmodified-since'], Number.POSITIVE_INFINITY)) {
    throw failed('If-Unmodified-Since');
  }
  if (noneMatch !== undefined) return names(noneMatch, version.eTag);
  return modified <= dateOf(headers['if-modified-since'], Number.NEGATIVE_INFINITY);
}

/**
 * Checks the conditions of a copy on its source.
 *
 * @throws AwsFault 412
 */
export function assertCopyable(headers: Headers, source: ObjectVersion): void {
  const start = 'x-amz-copy-source-';
  const own = Object.entries(headers).filter(([name]) => name.startsWith(start));
  const conditions = Object.fromEntries(own.map(([name, value]) => [name.slice(start.length), value]));
  if (isUnchanged(conditions, source)) throw failed('x-amz-copy-source-If-None-Match');
}

/**
 * Checks the conditions of a write or a deletion on the stored object.
 *
 * @param current the newest version; `undefined` for a missing object and for a delete marker
 * @throws AwsFault 412; 404 for `If-Match` without an object
 */
export function assertWritable(headers: Headers, current: ObjectVersion | undefined): void {
  const { 'if-match': match, 'if-none-match': noneMatch } = headers;
  if (noneMatch !== undefined && noneMatch !== '*')
    throw new AwsFault(501, 'NotImplemented', 'If-None-Match of a write must be *');
  if (noneMatch === '*' && current) throw failed('If-None-Match');
  if (match === undefined) return;
  if (!current) throw new AwsFault(404, 'NoSuchKey', 'The specified key does not exist.');
  if (!names(match, current.eTag)) throw failed('If-Match');
}

/** A part of an object, both ends included. */
export interface Range {
  readonly first: number;
  readonly last: number;
}

/**
 * The range in a header; `undefined` for the whole object, also returned for an invalid header.
 *
 * @throws AwsFault 416
 */
export function rangeOf(header: string | undefined, size: number): Range | undefined {
  const [, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/.exec(header ?? '') ?? [];
  if (from === '' && to === '') return undefined;
  const first = from === '' ? Math.max(0, size - Number(to)) : Number(from);
  const last = from === '' || to === '' ? size - 1 : Math.min(Number(to), size - 1);
  if (from !== '' && to !== '' && Number(to) < first) return undefined;
  if (first >= size || (from === '' && to === '0')) {
    throw new AwsFault(416, 'InvalidRange', 'The requested range is not satisfiable', {
      ActualObjectSize: String(size),
    });
  }
  return { first, last };
}

function names(list: string, eTag: string): boolean {
  return (
    list === '*' ||
    list.split(',').some(
      (each) =>
        each
          .trim()
          .replace(/^W\/|"/g, '')
          .replaceAll('"', '') === eTag,
    )
  );
}

function dateOf(header: string | undefined, fallback: number): number {
  const at = Date.parse(header ?? '');
  return Number.isNaN(at) ? fallback : at;
}

function failed(condition: string): AwsFault {
  const text = 'At least one of the pre-conditions you specified did not hold';
  return new AwsFault(412, 'PreconditionFailed', text, { Condition: condition });
}
