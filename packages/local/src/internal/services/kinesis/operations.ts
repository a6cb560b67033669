import { KINESIS_MAX_RECORD_BYTES } from '@sallyport/core/internal';
import { nameIn } from '../../aws/names.js';
import {
  type AwsService,
  defineService,
  entriesOf,
  type Input,
  numberOf,
  optionalText,
  textOf,
} from '../../aws/service.js';
import { AwsFault } from '../../aws/wire.js';
import { type DataStream, streamArn } from './stream.js';
import type { LoggedRecord } from './stream-log.js';

/** https://docs.aws.amazon.com/kinesis/latest/APIReference/API_PutRecords.html */
const MAX_RECORDS = 500;
const HASH_KEYS = 2n ** 128n;
/** https://docs.aws.amazon.com/kinesis/latest/APIReference/API_GetShardIterator.html */
const ITERATOR_MS = 300_000;

/** The position of a reader in a shard: after this sequence number. */
interface Place {
  readonly stream: string;
  readonly shard: string;
  readonly after: string;
}

/** A position as its client holds it. */
interface ShardIterator extends Place {
  /** Milliseconds since the epoch at which it was returned. */
  readonly at: number;
}

/** Options of {@link createKinesis}. */
export interface KinesisOptions {
  readonly stream: (name: string) => DataStream;
  readonly names: () => readonly string[];
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** Kinesis data streams: producers, and consumers that read shards with the API. */
export function createKinesis({ stream, names, now }: KinesisOptions): AwsService {
  const streamOf = (input: Input) => stream(nameIn(optionalText(input, 'StreamARN') ?? textOf(input, 'StreamName')));
  return defineService(
    { protocol: 'json-1.1', resources: ['StreamName', 'StreamARN'] },
    {
      PutRecord: (input) => put(streamOf(input), [input])[0] ?? {},
      PutRecords(input) {
        const records = entriesOf(input, 'Records');
        if (records.length === 0 || records.length > MAX_RECORDS)
          throw invalid(`Records must have 1 to ${MAX_RECORDS} members`);
        return { FailedRecordCount: 0, Records: put(streamOf(input), records) };
      },
      ListStreams: () => ({ HasMoreStreams: false, StreamNames: names() }),
      ListShards: (input) => ({ Shards: shardsOf(streamOf(input)) }),
      DescribeStream: (input) => ({
        StreamDescription: { ...summaryOf(streamOf(input)), Shards: shardsOf(streamOf(input)), HasMoreShards: false },
      }),
      DescribeStreamSummary: (input) => ({ StreamDescriptionSummary: summaryOf(streamOf(input)) }),
      GetShardIterator: (input) => ({
        ShardIterator: encodeIterator({ ...placeOf(streamOf(input), input), at: now() }),
      }),
      GetRecords(input) {
        const iterator = decodeIterator(textOf(input, 'ShardIterator'));
        const at = now();
        if (at - iterator.at > ITERATOR_MS) throw expired(iterator, at);
        return read(stream(iterator.stream), { ...iterator, at }, numberOf(input, 'Limit', 10_000));
      },
    },
  );
}

function put(stream: DataStream, records: readonly Input[]): readonly Record<string, string>[] {
  const options = records.map((record) => {
    const data = Buffer.from(typeof record.Data === 'string' ? record.Data : '', 'base64');
    if (data.length > KINESIS_MAX_RECORD_BYTES) throw invalid(`Data has at most ${KINESIS_MAX_RECORD_BYTES} bytes`);
    return { data, partitionKey: textOf(record, 'PartitionKey') };
  });
  return stream.send(options).map((id) => {
    const [ShardId = '', SequenceNumber = ''] = id.split(':');
    return { ShardId, SequenceNumber };
  });
}

function summaryOf({ name, log }: DataStream): Record<string, unknown> {
  return {
    StreamName: name,
    StreamARN: streamArn(name),
    StreamStatus: 'ACTIVE',
    StreamModeDetails: { StreamMode: 'PROVISIONED' },
    RetentionPeriodHours: 24,
    StreamCreationTimestamp: 0,
    EnhancedMonitoring: [],
    EncryptionType: 'NONE',
    OpenShardCount: log.shardIds.length,
  };
}

function shardsOf({ log }: DataStream): readonly object[] {
  const width = HASH_KEYS / BigInt(log.shardIds.length);
  return log.shardIds.map((ShardId, index) => {
    const end = index === log.shardIds.length - 1 ? HASH_KEYS : width * BigInt(index + 1);
    return {
      ShardId,
      HashKeyRange: { StartingHashKey: String(width * BigInt(index)), EndingHashKey: String(end - 1n) },
      SequenceNumberRange: { StartingSequenceNumber: '0' },
    };
  });
}

function placeOf({ name, log }: DataStream, input: Input): Place {
  const shard = textOf(input, 'ShardId');
  if (!log.shardIds.includes(shard))
    throw new AwsFault(400, 'ResourceNotFoundException', `the stream ${name} has no shard ${shard}`);
  const records = log.records.filter(({ shardId }) => shardId === shard);
  const before = (isFirst: (record: LoggedRecord) => boolean) => {
    const index = records.findIndex(isFirst);
    const last = index < 0 ? records.at(-1) : records[index - 1];
    return last?.sequenceNumber ?? '0';
  };
  const number = optionalText(input, 'StartingSequenceNumber') ?? '0';
  switch (input.ShardIteratorType) {
    case 'TRIM_HORIZON':
      return { stream: name, shard, after: '0' };
    case 'LATEST':
      return { stream: name, shard, after: records.at(-1)?.sequenceNumber ?? '0' };
    case 'AFTER_SEQUENCE_NUMBER':
      return { stream: name, shard, after: number };
    case 'AT_SEQUENCE_NUMBER':
      return {
        stream: name,
        shard,
        after: before(({ sequenceNumber }) => toNumber(sequenceNumber) >= toNumber(number)),
      };
    case 'AT_TIMESTAMP': {
      const at = numberOf(input, 'Timestamp', 0) * 1000;
      return { stream: name, shard, after: before((record) => record.at >= at) };
    }
    default: {
      const types = 'AT_SEQUENCE_NUMBER, AFTER_SEQUENCE_NUMBER, AT_TIMESTAMP, TRIM_HORIZON or LATEST';
      throw invalid(`ShardIteratorType must be ${types} (got ${JSON.stringify(input.ShardIteratorType)})`);
    }
  }
}

/**
 * Reads records after a position.
 *
 * @see https://docs.aws.amazon.com/kinesis/latest/APIReference/API_GetRecords.html
 */
function read({ log }: DataStream, from: ShardIterator, limit: number): Record<string, unknown> {
  const isNext = ({ shardId, sequenceNumber }: LoggedRecord) =>
    shardId === from.shard && toNumber(sequenceNumber) > toNumber(from.after);
  const unread = log.records.filter(isNext);
  const records = unread.slice(0, limit);
  const last = records.at(-1);
  return {
    Records: records.map(({ sequenceNumber, partitionKey, data, at }) => ({
      SequenceNumber: sequenceNumber,
      PartitionKey: partitionKey,
      Data: data,
      ApproximateArrivalTimestamp: at / 1000,
    })),
    NextShardIterator: encodeIterator({ ...from, after: last?.sequenceNumber ?? from.after }),
    // A reader that has read everything is at the tip, regardless of the age of the last record.
    MillisBehindLatest: last && records.length < unread.length ? Math.max(0, from.at - last.at) : 0,
  };
}

function encodeIterator(iterator: ShardIterator): string {
  return Buffer.from(JSON.stringify(iterator)).toString('base64');
}

function decodeIterator(text: string): ShardIterator {
  try {
    const { stream, shard, after, at } = JSON.parse(Buffer.from(text, 'base64').toString()) as ShardIterator;
    const isPlace = [stream, shard, after].every((value) => typeof value === 'string') && /^\d+$/.test(after);
    if (isPlace && typeof at === 'number') return { stream, shard, after, at };
  } catch {
    // The error follows.
  }
  throw invalid('Invalid ShardIterator.');
}

function expired({ at }: ShardIterator, now: number): AwsFault {
  const [created, today] = [at, now].map((time) => new Date(time).toISOString());
  return new AwsFault(
    400,
    'ExpiredIteratorException',
    `Iterator expired: it was created at ${created}, now it is ${today}, and an iterator is valid for ${ITERATOR_MS} milliseconds.`,
  );
}

function toNumber(sequenceNumber: string): bigint {
  return /^\d+$/.test(sequenceNumber) ? BigInt(sequenceNumber) : 0n;
}

function invalid(text: string): AwsFault {
  return new AwsFault(400, 'InvalidArgumentException', text);
}
