import { SHARD_SETTINGS } from '@sallyport/testkit/engines';
import { buildKinesisEvent, type KinesisRecordOptions } from '@sallyport/testkit/events';
import { anySetting, namedSettings } from '../../config/kinds.js';
import type { SourceType } from '../../sources/source.js';
import type { LocalService } from '../service.js';
import { createKinesis } from './operations.js';
import { DataStream, streamArn } from './stream.js';

/** Data streams. */
export const streams: SourceType<DataStream, 'stream', 'streams'> = {
  kind: 'stream',
  config: { member: 'streams', values: namedSettings({ ...SHARD_SETTINGS, filters: anySetting }) },
  data: 'json',
  form: {
    label: 'Data stream record',
    target: 'stream',
    fields: { json: ['json', 'the data'], partitionKey: ['text', 'selects the shard'] },
  },
  arn: streamArn,
  create: (run, name, settings) => new DataStream(name, settings, run),
  send: (run, name, records) => run.get(streams, name).send(records as readonly KinesisRecordOptions[]),
  event: (name, options) => buildKinesisEvent(streamArn(name), [options as KinesisRecordOptions]),
};

/** Kinesis. */
export const kinesis = {
  name: 'kinesis',
  sources: [streams],
  operations: ({ sources, now }) =>
    createKinesis({ stream: (name) => sources.get(streams, name), names: () => sources.namesOf(streams), now }),
} as const satisfies LocalService;
