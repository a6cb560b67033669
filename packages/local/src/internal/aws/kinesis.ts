import { KINESIS_MAX_RECORD_BYTES } from '@sallyport/core/internal';
import { arnOf, nameIn } from '../sources/names.js';
import type { LocalStream } from '../sources/stream.js';
import type { LoggedRecord } from '../sources/stream-log.js';
import type { StreamSources } from './parts.js';
import { type AwsService, defineService, entriesOf, type Input, numberOf, optionalText, textOf } from './service.js';
import { AwsFault } from './wire.js';

/** https://docs.aws.amazon.com/kinesis/latest/APIReference/API_PutRecords.html */
const MAX_RECORDS = 500;
const HASH_KEYS = 2n ** 128n;

/** The position of a reader in a shard: after this sequence number. */
interface Place {
  readonly stream: string;
  readonly shard: string;
  readonly after: string;
}

/** Kinesis data streams: producers, and consumers that read shards with the API. */
export function createKinesis(sources: StreamSources): AwsService {
  const streamOf = (input: Input) => {
    const name = nameIn(optionalText(input, 'StreamARN') ?? textOf(input, 'StreamName'));
    return sources.stream(name);
  };
  return defineService('json-1.1', {
    PutRecord: (input) => put(streamOf(input), [input])[0] ?? {},
    PutRecords(input) {
      const records = entriesOf(input, 'Records');
      if (records.length === 0 || records.length > MAX_RECORDS)
        throw invalid(`Records must have 1 to ${MAX_RECORDS} members`);
      return { FailedRecordCount: 0, Records: put(streamOf(input), records) };
    },
    ListStreams() {
      const names = sources.namesOf('stream');
      return { HasMoreStreams: false, StreamNames: names };
    },
    ListShards: (input) => ({ Shards: shardsOf(streamOf(input)) }),
    DescribeStream: (input) => ({
      StreamDescription: { ...summaryOf(streamOf(input)), Shards: shardsOf(streamOf(input)), HasMoreShards: false },
    }),
    DescribeStreamSummary: (input) => ({ StreamDescriptionSummary: summaryOf(streamOf(input)) }),
    GetShardIterator: (input) => ({ ShardIterator: encodePlace(placeOf(streamOf(input), input)) }),
    GetRecords(input) {
      const place = decodePlace(textOf(input, 'ShardIterator'));
      return read(sources.stream(place.stream), place, numberOf(input, 'Limit', 10_000));
    },
  });
}

function put(stream: LocalStream, records: readonly Input[]): readonly Record<string, string>[] {
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

function summaryOf({ name, log }: LocalStream): Record<string, unknown> {
  return {
    StreamName: name,
    StreamARN: arnOf('stream', name),
    StreamStatus: 'ACTIVE',
    StreamModeDetails: { StreamMode: 'PROVISIONED' },
    RetentionPeriodHours: 24,
    StreamCreationTimestamp: 0,
    EnhancedMonitoring: [],
    EncryptionType: 'NONE',
    OpenShardCount: log.shardIds.length,
  };
}

function shardsOf({ log }: LocalStream): readonly object[] {
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

function placeOf({ name, log }: LocalStream, input: Input): Place {
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
    default:
      throw invalid('ShardIteratorType');
  }
}

function read({ log }: LocalStream, place: Place, limit: number): Record<string, unknown> {
  const isNext = ({ shardId, sequenceNumber }: LoggedRecord) =>
    shardId === place.shard && toNumber(sequenceNumber) > toNumber(place.after);
  const records = log.records.filter(isNext).slice(0, limit);
  return {
    Records: records.map(({ sequenceNumber, partitionKey, data, at }) => ({
      SequenceNumber: sequenceNumber,
      PartitionKey: partitionKey,
      Data: data,
      ApproximateArrivalTimestamp: at / 1000,
    })),
    NextShardIterator: encodePlace({ ...place, after: records.at(-1)?.sequenceNumber ?? place.after }),
    MillisBehindLatest: 0,
  };
}

function encodePlace(place: Place): string {
  return Buffer.from(JSON.stringify(place)).toString('base64');
}

function decodePlace(text: string): Place {
  try {
    const { stream, shard, after } = JSON.parse(Buffer.from(text, 'base64').toString()) as Place;
    if ([stream, shard, after].every((value) => typeof value === 'string') && /^\d+$/.test(after))
      return { stream, shard, after };
  } catch {
    // The error follows.
  }
  throw new AwsFault(400, 'InvalidArgumentException', 'Invalid ShardIterator.');
}

function toNumber(sequenceNumber: string): bigint {
  return /^\d+$/.test(sequenceNumber) ? BigInt(sequenceNumber) : 0n;
}

function invalid(text: string): AwsFault {
  return new AwsFault(400, 'InvalidArgumentException', text);
}
