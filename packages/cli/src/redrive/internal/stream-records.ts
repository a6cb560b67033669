import type * as DynamoStreams from '@aws-sdk/client-dynamodb-streams';
import type * as Kinesis from '@aws-sdk/client-kinesis';
import type { AwsAccess } from '../../internal/aws-access.js';
import type { StreamBatch } from './letters.js';

/** The event of a batch: its records as Lambda delivers them. */
export type StreamEvent = { readonly Records: readonly object[] };

/**
 * Reads the records of a batch again. Resolves to `undefined` if one of them is no longer in the stream.
 */
export async function readRecords(access: AwsAccess, batch: StreamBatch): Promise<StreamEvent | undefined> {
  const read = batch.source === 'stream' ? readKinesis : readTableStream;
  const records = await read(access, batch);
  // The positions are inclusive: the record at each end must be there.
  const isWhole = records.at(0)?.position === batch.first && records.at(-1)?.position === batch.last;
  return isWhole ? { Records: records.map(({ record }) => record) } : undefined;
}

interface Positioned {
  readonly position: string;
  readonly record: object;
}

/** A page of a shard; `next` is `undefined` at the end of the shard. */
interface Page {
  readonly records: readonly Positioned[];
  readonly next: string | undefined;
}

/** A shard can return empty pages before its records. */
const MAX_EMPTY_PAGES = 20;

async function readPages(
  start: string | undefined,
  last: string,
  read: (iterator: string) => Promise<Page>,
): Promise<readonly Positioned[]> {
  const found: Positioned[] = [];
  let iterator = start;
  for (let empty = 0; iterator !== undefined && empty < MAX_EMPTY_PAGES; ) {
    const { records, next }: Page = await read(iterator);
    for (const one of records) {
      if (BigInt(one.position) > BigInt(last)) return found;
      found.push(one);
      if (one.position === last) return found;
    }
    empty = records.length === 0 ? empty + 1 : 0;
    iterator = next;
  }
  return found;
}

/** @see https://docs.aws.amazon.com/lambda/latest/dg/with-kinesis.html */
async function readKinesis(access: AwsAccess, batch: StreamBatch): Promise<readonly Positioned[]> {
  const kinesis = await access.load<typeof Kinesis>('@aws-sdk/client-kinesis');
  const client = new kinesis.KinesisClient(access.settings);
  const { streamArn: StreamARN, shardId: ShardId, first: StartingSequenceNumber } = batch;
  const start = new kinesis.GetShardIteratorCommand({
    ...{ StreamARN, ShardId, StartingSequenceNumber, ShardIteratorType: 'AT_SEQUENCE_NUMBER' },
  });
  const { ShardIterator } = await access.call('kinesis:GetShardIterator', (options) => client.send(start, options));
  return readPages(ShardIterator, batch.last, async (iterator) => {
    const command = new kinesis.GetRecordsCommand({ ShardIterator: iterator, StreamARN });
    const page = await access.call('kinesis:GetRecords', (options) => client.send(command, options));
    const records = (page.Records ?? []).map(({ SequenceNumber: position = '', ...record }) => ({
      position,
      record: {
        kinesis: {
          kinesisSchemaVersion: '1.0',
          partitionKey: record.PartitionKey,
          sequenceNumber: position,
          data: Buffer.from(record.Data ?? []).toString('base64'),
          approximateArrivalTimestamp: (record.ApproximateArrivalTimestamp?.getTime() ?? 0) / 1000,
        },
        eventSource: 'aws:kinesis',
        eventVersion: '1.0',
        eventID: `${ShardId}:${position}`,
        eventName: 'aws:kinesis:record',
        // The role that reads the stream for Lambda is not known here.
        invokeIdentityArn: '',
        awsRegion: StreamARN.split(':')[3],
        eventSourceARN: StreamARN,
      },
    }));
    return { records, next: page.NextShardIterator };
  });
}

/** @see https://docs.aws.amazon.com/lambda/latest/dg/with-ddb.html */
async function readTableStream(access: AwsAccess, batch: StreamBatch): Promise<readonly Positioned[]> {
  const streams = await access.load<typeof DynamoStreams>('@aws-sdk/client-dynamodb-streams');
  const client = new streams.DynamoDBStreamsClient(access.settings);
  const { streamArn: StreamArn, shardId: ShardId, first: SequenceNumber } = batch;
  const start = new streams.GetShardIteratorCommand({
    ...{ StreamArn, ShardId, SequenceNumber, ShardIteratorType: 'AT_SEQUENCE_NUMBER' },
  });
  const { ShardIterator } = await access.call('dynamodb:GetShardIterator', (options) => client.send(start, options));
  return readPages(ShardIterator, batch.last, async (ShardIterator) => {
    const command = new streams.GetRecordsCommand({ ShardIterator });
    const page = await access.call('dynamodb:GetRecords', (options) => client.send(command, options));
    const records = (page.Records ?? []).map((record) => ({
      position: record.dynamodb?.SequenceNumber ?? '',
      record: toEventRecord(record, StreamArn),
    }));
    return { records, next: page.NextShardIterator };
  });
}

function toEventRecord({ dynamodb = {}, userIdentity, ...record }: DynamoStreams._Record, arn: string): object {
  const { ApproximateCreationDateTime: created, Keys, NewImage, OldImage, ...more } = dynamodb;
  return {
    ...record,
    dynamodb: {
      ...(created && { ApproximateCreationDateTime: created.getTime() / 1000 }),
      ...(Keys && { Keys: toJson(Keys) }),
      ...(NewImage && { NewImage: toJson(NewImage) }),
      ...(OldImage && { OldImage: toJson(OldImage) }),
      ...more,
    },
    ...(userIdentity && { userIdentity: { type: userIdentity.Type, principalId: userIdentity.PrincipalId } }),
    eventSourceARN: arn,
  };
}

/** Binary values are base64 in an event. */
function toJson(value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (Array.isArray(value)) return value.map(toJson);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, toJson(member)]));
}
