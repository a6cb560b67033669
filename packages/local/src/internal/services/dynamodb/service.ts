import { SHARD_SETTINGS } from '@sallyport/testkit/engines';
import { buildTableStreamEvent, type TableStreamRecordOptions } from '@sallyport/testkit/events';
import { anySetting, namedSettings } from '../../config/kinds.js';
import type { SourceType } from '../../sources/source.js';
import { newId } from '../../sources/sources-context.js';
import type { LocalService } from '../service.js';
import { createDynamo } from './operations.js';
import { tables } from './table-state.js';
import { TableStream, tableStreamArn } from './table-stream.js';

/** Streams of tables. */
const tableStreams: SourceType<TableStream, 'table-stream', 'tableStreams'> = {
  kind: 'table-stream',
  config: { member: 'tableStreams', values: namedSettings({ ...SHARD_SETTINGS, filters: anySetting }) },
  form: {
    label: 'Table change',
    target: 'table',
    fields: {
      eventName: ['text', 'INSERT, MODIFY or REMOVE'],
      keys: ['json', 'an object of plain values'],
      newImage: ['json', 'the item after it'],
      oldImage: ['json', 'the item before it'],
    },
  },
  arn: tableStreamArn,
  create: (run, name, settings) => new TableStream(name, settings, run),
  send: (run, name, records) =>
    run
      .get(tableStreams, name)
      .sendMadeUp(records.map((record) => ({ eventID: newId(), time: run.clock.now(), ...record }))),
  event: (name, options) => buildTableStreamEvent(tableStreamArn(name), [options as TableStreamRecordOptions]),
};

/** DynamoDB and its streams. */
export const dynamodb = {
  name: 'dynamodb',
  sources: [tableStreams],
  state: tables,
  view: {
    title: 'Tables',
    one: 'Table',
    list: (state) => state.get(tables).list(),
    items: (state, name, start) => state.get(tables).items(name, start),
  },
  operations({ state }) {
    const { past } = state.get(tables);
    return createDynamo(
      () => state.get(tables).endpoint(),
      ({ operation, input }) => past.note(operation, input),
    );
  },
} as const satisfies LocalService;
