import type { TopicMessageAttribute, TopicRecordOptions } from '@sallyport/testkit/events';
import { nameIn } from '../../aws/names.js';
import { type AwsService, type Call, defineService, type Input, optionalText } from '../../aws/service.js';
import { AwsFault } from '../../aws/wire.js';

const MAX_MESSAGE_BYTES = 262_144;
const MAX_ENTRIES = 10;

/** Options of {@link createSns}. */
export interface SnsOptions {
  /** Publishes a message to a topic. @returns its id */
  readonly publish: (topic: string, record: TopicRecordOptions, traceId?: string) => string;
  readonly names: () => readonly string[];
  readonly arnOf: (name: string) => string;
}

/** SNS, to topics: https://docs.aws.amazon.com/sns/latest/api/API_Publish.html. */
export function createSns(options: SnsOptions): AwsService {
  return defineService(
    { protocol: 'query', resources: ['TopicArn'], xmlns: 'http://sns.amazonaws.com/doc/2010-03-31/' },
    {
      Publish: (input, call) => ({ MessageId: publish(options, input, '', topicOf(input), call) }),
      PublishBatch: (input, call) => publishBatch(options, input, call),
      ListTopics: () => ({
        Topics: { member: options.names().map((name) => ({ TopicArn: options.arnOf(name) })) },
      }),
    },
  );
}

function topicOf(input: Input): string {
  const arn = optionalText(input, 'TopicArn') ?? optionalText(input, 'TargetArn') ?? '';
  if (!/^arn:[^:]+:sns:[^:]*:\d{12}:[A-Za-z0-9_.-]+$/.test(arn)) throw invalid('TopicArn');
  return nameIn(arn);
}

/** @param prefix the prefix of the members of one entry; `''` for a single message */
function publish(options: SnsOptions, input: Input, prefix: string, topic: string, { traceId }: Call): string {
  const message = optionalText(input, `${prefix}Message`) ?? '';
  if (message === '') throw invalid('Empty message');
  if (Buffer.byteLength(message) > MAX_MESSAGE_BYTES) throw invalid('Message too long');
  const subject = optionalText(input, `${prefix}Subject`);
  const record: TopicRecordOptions = {
    message: input[`${prefix}MessageStructure`] === 'json' ? messageForLambda(message) : message,
    messageAttributes: attributesOf(input, `${prefix}MessageAttributes.entry.`),
    ...(subject !== undefined && { subject }),
  };
  return options.publish(topic, record, traceId);
}

function publishBatch(options: SnsOptions, input: Input, call: Call) {
  const topic = topicOf(input);
  const prefixes = Array.from(
    { length: MAX_ENTRIES + 1 },
    (_, index) => `PublishBatchRequestEntries.member.${index + 1}.`,
  );
  const entries = prefixes.filter((prefix) => input[`${prefix}Id`] !== undefined);
  if (entries.length === 0) throw new AwsFault(400, 'EmptyBatchRequest', 'The batch request has no entries.');
  if (entries.length > MAX_ENTRIES)
    throw new AwsFault(400, 'TooManyEntriesInBatchRequest', 'A batch has at most 10 entries.');
  const Successful: { Id: string; MessageId: string }[] = [];
  const Failed: { Id: string; Code: string; Message: string; SenderFault: boolean }[] = [];
  for (const prefix of entries) {
    const Id = String(input[`${prefix}Id`]);
    try {
      Successful.push({ Id, MessageId: publish(options, input, prefix, topic, call) });
    } catch (error) {
      if (!(error instanceof AwsFault)) throw error;
      Failed.push({ Id, Code: error.code, Message: error.message, SenderFault: true });
    }
  }
  return { Successful: { member: Successful }, Failed: { member: Failed } };
}

/** With the structure `json` a message has a string per protocol. */
function messageForLambda(message: string): string {
  try {
    const texts = JSON.parse(message) as Readonly<Record<string, unknown>> | null;
    const text = texts?.lambda ?? texts?.default;
    if (typeof text === 'string') return text;
  } catch {
    // The error follows.
  }
  throw invalid('Message Structure - No default entry in JSON message body');
}

function attributesOf(input: Input, prefix: string): Record<string, TopicMessageAttribute> {
  const attributes: Record<string, TopicMessageAttribute> = {};
  for (let n = 1; input[`${prefix}${n}.Name`] !== undefined; n += 1) {
    const value =
      optionalText(input, `${prefix}${n}.Value.StringValue`) ?? optionalText(input, `${prefix}${n}.Value.BinaryValue`);
    const Type = optionalText(input, `${prefix}${n}.Value.DataType`) ?? '';
    if (value === undefined || Type === '') throw invalid('MessageAttributes');
    attributes[String(input[`${prefix}${n}.Name`])] = { Type, Value: value };
  }
  return attributes;
}

function invalid(what: string): AwsFault {
  return new AwsFault(400, 'InvalidParameter', `Invalid parameter: ${what}`);
}
