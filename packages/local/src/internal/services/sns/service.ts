import { ASYNC_SETTINGS } from '@sallyport/testkit/engines';
import { buildTopicEvent, type TopicRecordOptions } from '@sallyport/testkit/events';
import { toArn } from '../../aws/names.js';
import { anySetting, namedSettings } from '../../config/kinds.js';
import { AsyncSource } from '../../sources/async.js';
import type { SourceRun, SourceType } from '../../sources/source.js';
import { newId } from '../../sources/sources-context.js';
import type { LocalService } from '../service.js';
import { createSns } from './operations.js';
import { type TopicConfig, topicFilter } from './topic-filter.js';

const topicArn = (name: string) => toArn('sns', name);

/** Topics. */
const topics: SourceType<AsyncSource, 'topic', 'topics'> = {
  kind: 'topic',
  config: {
    member: 'topics',
    values: namedSettings({ ...ASYNC_SETTINGS, filterPolicy: anySetting, filterPolicyScope: anySetting }),
  },
  data: 'message',
  form: {
    label: 'Topic notification',
    target: 'topic',
    fields: {
      message: ['json', 'the message'],
      subject: ['text', 'a line'],
      messageAttributes: ['map', 'name: value, one per line'],
    },
  },
  arn: topicArn,
  create(run, name, settings: TopicConfig) {
    const engineOf = ({ filterPolicy, filterPolicyScope, ...engine }: TopicConfig) => engine;
    return new AsyncSource(topics, name, run, {
      settings,
      engineOf,
      filterOf: ({ settings: own }) => topicFilter(name, own),
    });
  },
  send: (run, name, records, traceId) =>
    records.map((record) => publish(run, name, record as TopicRecordOptions, traceId)),
  event: (name, options) => buildTopicEvent(topicArn(name), [options as TopicRecordOptions]),
};

/** Publishes a message to a topic. @returns its id */
function publish(run: SourceRun, topic: string, record: TopicRecordOptions, traceId?: string): string {
  const source = run.get(topics, topic);
  const messageId = record.messageId ?? newId();
  const event = buildTopicEvent(source.arn, [{ time: run.clock.now(), ...record, messageId }]);
  if (run.hasHandler('topic', topic)) return source.send(messageId, event, traceId);
  source.refuse(messageId, event, 'no handler');
  run.notice(`no handler is registered for the topic ${topic}`);
  return messageId;
}

/** SNS. */
export const sns = {
  name: 'sns',
  sources: [topics],
  operations: ({ sources }) =>
    createSns({
      names: () => sources.namesOf(topics),
      arnOf: topicArn,
      publish: (topic, record, traceId) => publish(sources, topic, record, traceId),
    }),
} as const satisfies LocalService;
