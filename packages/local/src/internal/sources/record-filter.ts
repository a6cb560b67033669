import { isObject, membersOf, stringOf } from '@sallyport/core/internal';
import type { ShardRecordOptions } from '@sallyport/testkit/engines';
import {
  buildKinesisEvent,
  buildTableStreamEvent,
  type KinesisRecordOptions,
  type QueueRecordOptions,
  type TableStreamRecordOptions,
} from '@sallyport/testkit/events';
import { MAPPING_FILTERS } from './patterns/languages.js';
import { type Matcher, PatternError, parsePattern, parseRules, readPatterns } from './patterns/pattern.js';

/** Filter patterns of an event source mapping: a record is delivered if it matches one of them. */
export interface FilterSettings {
  readonly filters?: readonly Readonly<Record<string, unknown>>[];
}

/** Five by default, ten with a raised quota: https://docs.aws.amazon.com/lambda/latest/dg/invocation-eventfiltering.html. */
const MAX_FILTERS = 10;
const MAX_PATTERN = 4096;

/** True if a mapping delivers a record to its function. */
export type RecordFilter<R> = (record: R) => boolean;

/**
 * The filters of a queue's mapping. Lambda accepts patterns only for `body`. A JSON pattern drops messages whose body is plain text,
 * and a string pattern drops messages whose body is JSON.
 *
 * @throws FrameworkError `local.usage` for a pattern that Lambda rejects
 * @see https://docs.aws.amazon.com/lambda/latest/dg/with-sqs-filtering.html
 */
export function queueFilter(name: string, filters: unknown): RecordFilter<QueueRecordOptions> {
  return anyOf(`queues.${name}`, filters, (pattern, place) => {
    const matches = parseContent('body', pattern, place);
    return ({ body = {} }) => matches(typeof body === 'string' ? body : JSON.stringify(body));
  });
}

/**
 * The filters of a data stream's mapping. They match only `data`, after it is decoded.
 *
 * @throws FrameworkError `local.usage` for a pattern that Lambda rejects
 * @see https://docs.aws.amazon.com/lambda/latest/dg/with-kinesis-filtering.html
 */
export function streamFilter(name: string, filters: unknown): RecordFilter<ShardRecordOptions> {
  return anyOf(`streams.${name}`, filters, (pattern, place) => {
    const matches = parseContent('data', pattern, place);
    return (record) => {
      const [built] = buildKinesisEvent(STREAM, [record as KinesisRecordOptions]).Records;
      return matches(kinesisText(built));
    };
  });
}

/**
 * The filters of a mapping for the records that its function receives; `undefined` without filters.
 *
 * @throws FrameworkError `local.usage` for a pattern that Lambda rejects
 */
export function deliveredFilter(kind: string, name: string, filters: unknown): RecordFilter<unknown> | undefined {
  const parse = DELIVERED[kind];
  if (parse === undefined || filters === undefined) return undefined;
  return anyOf(`${parse.member}.${name}`, filters, parse.parse);
}

interface DeliveredParser {
  /** The group of settings, as messages name it. */
  readonly member: string;
  readonly parse: (pattern: unknown, place: string) => RecordFilter<unknown>;
}

const DELIVERED: Readonly<Record<string, DeliveredParser>> = {
  queue: {
    member: 'queues',
    parse(pattern, place) {
      const matches = parseContent('body', pattern, place);
      return (record) => matches(String(membersOf(record).body));
    },
  },
  stream: {
    member: 'streams',
    parse(pattern, place) {
      const matches = parseContent('data', pattern, place);
      return (record) => matches(kinesisText(record));
    },
  },
  'table-stream': {
    member: 'tableStreams',
    parse: (pattern, place) => parsePattern(MAPPING_FILTERS, pattern, place),
  },
};

/** The payload of a record of a data stream. */
function kinesisText(record: unknown): string {
  const { data } = membersOf(membersOf(record).kinesis);
  return Buffer.from(stringOf(data), 'base64').toString('utf8');
}

/**
 * The filters of a table stream's mapping. They match the record that the function receives. Numbers are strings: `{ "N": "5" }`.
 *
 * @throws FrameworkError `local.usage` for a pattern that Lambda rejects
 * @see https://docs.aws.amazon.com/lambda/latest/dg/with-ddb-filtering.html
 */
export function tableFilter(name: string, filters: unknown): RecordFilter<ShardRecordOptions> {
  return anyOf(`tableStreams.${name}`, filters, (pattern, place) => {
    const matches = parsePattern(MAPPING_FILTERS, pattern, place);
    return (record) => matches(buildTableStreamEvent(TABLE, [record as TableStreamRecordOptions]).Records[0]);
  });
}

const STREAM = 'arn:aws:kinesis:us-east-1:123456789012:stream/filtered';
const TABLE = 'arn:aws:dynamodb:us-east-1:123456789012:table/filtered/stream/2026-01-01T00:00:00.000';

/** A record matches if one of the patterns matches; without patterns all records match. */
function anyOf<R>(
  place: string,
  filters: unknown,
  parse: (pattern: unknown, place: string) => RecordFilter<R>,
): RecordFilter<R> {
  if (filters === undefined) return () => true;
  return readPatterns(place, () => {
    if (!Array.isArray(filters) || filters.length === 0 || filters.length > MAX_FILTERS) {
      throw new PatternError(`filters must be a list of 1 to ${MAX_FILTERS} patterns`);
    }
    const parsed = filters.map((pattern, index) => {
      const { length } = JSON.stringify(pattern);
      if (length > MAX_PATTERN) throw new PatternError(`filters[${index}] must have at most ${MAX_PATTERN} characters`);
      return parse(pattern, `filters[${index}]`);
    });
    return (record) => parsed.some((takes) => takes(record));
  });
}

/** A pattern for a string that may be JSON, under the only key that Lambda accepts. */
function parseContent(key: string, pattern: unknown, place: string): (text: string) => boolean {
  const keys = isObject(pattern) ? Object.keys(pattern) : [];
  if (keys.length !== 1 || keys[0] !== key)
    throw new PatternError(`${place} must be { "${key}": … }: Lambda accepts no other key`);
  const wanted = (pattern as Readonly<Record<string, unknown>>)[key];
  const matches: Matcher = Array.isArray(wanted)
    ? parseRules(MAPPING_FILTERS, wanted, `${place}.${key}`)
    : parsePattern(MAPPING_FILTERS, wanted, `${place}.${key}`);
  return (text) => {
    const parsed = parseContainer(text);
    return Array.isArray(wanted) ? parsed === undefined && matches(text) : parsed !== undefined && matches(parsed);
  };
}

/** The parsed JSON object or list; `undefined` for any other string. */
function parseContainer(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
