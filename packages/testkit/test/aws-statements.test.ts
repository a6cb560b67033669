import { readFileSync } from 'node:fs';
import {
  createAsyncEngine,
  createQueueEngine,
  createShardEngine,
  type Engine,
  type EngineOptions,
  type Outcome,
} from '../src/engines.js';
import { TrackedClock } from '../src/internal/tracked-clock.js';

// AWS's statements about the answers of a function, and the behaviour of the engines. docs/simulation.md shows the same sentences.

const SQS_ERRORS = 'https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-errorhandling.html';
const SQS_VISIBILITY =
  'https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-visibility-timeout.html';
const SQS_DEAD_LETTER =
  'https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-dead-letter-queues.html';
const SQS_FIFO = 'https://repost.aws/knowledge-center/sqs-fifo-messages-not-returned';
const KINESIS_BATCH = 'https://docs.aws.amazon.com/lambda/latest/dg/services-kinesis-batchfailurereporting.html';
const KINESIS_ERRORS = 'https://docs.aws.amazon.com/lambda/latest/dg/kinesis-on-failure-destination.html';
const DDB_BATCH = 'https://docs.aws.amazon.com/lambda/latest/dg/services-ddb-batchfailurereporting.html';
const ASYNC = 'https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-error-handling.html';

type Source = 'queue' | 'fifo' | 'data' | 'table' | 'async';
interface Row {
  readonly source: Source;
  readonly statement: string;
  readonly from: string;
  /** Answers of the invocations, in order; from then on nothing fails. */
  readonly outcomes: readonly Outcome[];
  readonly options?: object;
  /** Ids of each invocation, with its time in seconds. */
  readonly delivered: readonly string[];
  readonly ended?: object;
}

const error: Outcome = { error: new Error('boom') };
const report = (...ids: unknown[]): Outcome => ({
  answer: { batchItemFailures: ids.map((itemIdentifier) => ({ itemIdentifier })) },
});
const answer = (value: unknown): Outcome => ({ answer: value });
const FIRST = '0: 1 2 3';

function successes(source: Source, from: string, what: string): Row[] {
  const rows: [string, Outcome][] = [
    ['an empty list `batchItemFailures`', report()],
    ['`null` for `batchItemFailures`', answer({ batchItemFailures: null })],
    ['an empty object', answer({})],
    ['`null`', answer(null)],
  ];
  return rows.map(([name, outcome]) => ({
    source,
    from,
    statement: `${what}: ${name} is a complete success`,
    outcomes: [outcome],
    delivered: [FIRST],
    ended: { done: 3 },
  }));
}

function failures(source: Source, from: string, what: string, again: string): Row[] {
  const rows: [string, Outcome][] = [
    ['an empty string as `itemIdentifier`', report('')],
    ['`null` as `itemIdentifier`', report(null)],
    ['another key than `itemIdentifier`', answer({ batchItemFailures: [{ messageId: '1' }] })],
    ['an error of the function', error],
  ];
  return rows.map(([name, outcome]) => ({
    source,
    from,
    statement: `${what}: ${name} is a complete failure`,
    outcomes: [outcome],
    delivered: [FIRST, again],
    ended: { done: 3 },
  }));
}

const STATEMENTS: readonly Row[] = [
  ...successes('queue', SQS_ERRORS, 'Queue'),
  ...failures('queue', SQS_ERRORS, 'Queue', '30: 1 2 3'),
  {
    source: 'queue',
    from: SQS_ERRORS,
    statement: 'Queue: a response that is not a report in JSON is a complete failure',
    outcomes: [answer({ batchItemFailures: 'all' })],
    delivered: [FIRST, '30: 1 2 3'],
    ended: { done: 3 },
  },
  {
    source: 'queue',
    from: SQS_ERRORS,
    statement: 'Queue: only the reported messages become visible again',
    outcomes: [report('2')],
    delivered: [FIRST, '30: 2'],
    ended: { done: 3 },
  },
  {
    source: 'queue',
    from: SQS_ERRORS,
    statement: 'Queue: without `ReportBatchItemFailures` a report is not read, and all messages are deleted',
    outcomes: [report('2')],
    options: { reportBatchItemFailures: false },
    delivered: [FIRST],
    ended: { done: 3 },
  },
  {
    source: 'queue',
    from: SQS_VISIBILITY,
    statement: 'Queue: a message that was not deleted can be received again when its visibility timeout has passed',
    outcomes: [error],
    options: { visibilityTimeoutMs: 45_000 },
    delivered: [FIRST, '45: 1 2 3'],
    ended: { done: 3 },
  },
  {
    source: 'queue',
    from: SQS_DEAD_LETTER,
    statement: 'Queue: a message that was received `maxReceiveCount` times moves to the dead-letter queue',
    outcomes: [report('2'), report('2')],
    options: { maxReceiveCount: 2 },
    delivered: [FIRST, '30: 2'],
    ended: { done: 2, 'dead-letter': 1 },
  },
  {
    source: 'fifo',
    from: SQS_FIFO,
    statement: 'FIFO queue: a batch can contain messages of several groups',
    outcomes: [],
    delivered: [FIRST],
    ended: { done: 3 },
  },
  {
    source: 'fifo',
    from: SQS_FIFO,
    statement:
      'FIFO queue: a message that was received and not deleted blocks the other messages of its group, but not other groups',
    outcomes: [report('1')],
    options: { batchSize: 2 },
    delivered: ['0: 1 2', '30: 1 3'],
    ended: { done: 3 },
  },
  ...successes('data', KINESIS_BATCH, 'Data stream'),
  ...failures('data', KINESIS_BATCH, 'Data stream', '1: 1 2 3'),
  {
    source: 'data',
    from: KINESIS_BATCH,
    statement:
      'Data stream: the lowest reported sequence number is the checkpoint, and all records from there on are retried',
    outcomes: [report('3', '2')],
    delivered: [FIRST, '1: 2 3'],
    ended: { done: 3 },
  },
  {
    source: 'data',
    from: KINESIS_BATCH,
    statement: 'Data stream: without `ReportBatchItemFailures` a report is not read',
    outcomes: [report('2')],
    options: { reportBatchItemFailures: false },
    delivered: [FIRST],
    ended: { done: 3 },
  },
  {
    source: 'data',
    from: KINESIS_BATCH,
    statement: 'Data stream: with `BisectBatchOnFunctionError` a batch that failed as a whole is split in two',
    outcomes: [error],
    options: { bisect: true },
    delivered: [FIRST, '0: 1 2', '0: 3'],
    ended: { done: 3 },
  },
  {
    source: 'data',
    from: KINESIS_BATCH,
    statement:
      'Data stream: with `BisectBatchOnFunctionError` a report splits the batch at the reported sequence number, and only the second part is retried',
    outcomes: [report('3')],
    options: { bisect: true },
    delivered: [FIRST, '1: 3'],
    ended: { done: 3 },
  },
  {
    source: 'data',
    from: KINESIS_ERRORS,
    statement: 'Data stream: a shard is blocked until its batch has succeeded or was discarded',
    outcomes: [error],
    options: { batchSize: 2 },
    delivered: ['0: 1 2', '1: 1 2', '1: 3'],
    ended: { done: 3 },
  },
  {
    source: 'data',
    from: KINESIS_ERRORS,
    statement: 'Data stream: after its last retry a batch is sent to the failure destination, and the shard continues',
    outcomes: [error, error],
    options: { batchSize: 2, maximumRetryAttempts: 1 },
    delivered: ['0: 1 2', '1: 1 2', '1: 3'],
    ended: { done: 1, 'dead-letter': 2 },
  },
  {
    source: 'data',
    from: KINESIS_ERRORS,
    statement: 'Data stream: records that are older than the maximum age are discarded',
    outcomes: [error, error, error],
    options: { maxRecordAgeMs: 1500 },
    delivered: [FIRST, '1: 1 2 3'],
    ended: { expired: 3 },
  },
  ...successes('table', DDB_BATCH, 'Table stream'),
  ...failures('table', DDB_BATCH, 'Table stream', '1: 1 2 3'),
  {
    source: 'table',
    from: DDB_BATCH,
    statement:
      'Table stream: the lowest reported sequence number is the checkpoint, and all records from there on are retried',
    outcomes: [report('3', '2')],
    delivered: [FIRST, '1: 2 3'],
    ended: { done: 3 },
  },
  {
    source: 'async',
    from: ASYNC,
    statement: 'Asynchronous: a failed event is delivered again after one minute, and after two more minutes',
    outcomes: [error, error],
    options: { invocations: 1 },
    delivered: ['0: 1', '0: 2', '0: 3', '60: 1', '60: 2'],
    ended: { done: 3 },
  },
  {
    source: 'async',
    from: ASYNC,
    statement:
      'Asynchronous: an event that failed three times is sent to the dead-letter queue or the failure destination',
    outcomes: [error, report(), report(), error, error],
    options: { invocations: 1 },
    delivered: ['0: 1', '0: 2', '0: 3', '60: 1', '180: 1'],
    ended: { done: 2, 'dead-letter': 1 },
  },
  {
    source: 'async',
    from: ASYNC,
    statement: 'Asynchronous: an event that is older than `MaximumEventAgeInSeconds` is discarded',
    outcomes: [error, report(), report()],
    options: { invocations: 1, maximumEventAgeMs: 60_000, maximumRetryAttempts: 1 },
    delivered: ['0: 1', '0: 2', '0: 3', '60: 1'],
    ended: { done: 3 },
  },
];

const MAKERS: Readonly<Record<Source, (options: EngineOptions<never>) => Engine<never>>> = {
  queue: (options) =>
    createQueueEngine({ ...options, arn: 'arn:aws:sqs:us-east-1:123456789012:orders' } as never) as never,
  fifo: (options) =>
    createQueueEngine({ ...options, arn: 'arn:aws:sqs:us-east-1:123456789012:orders.fifo' } as never) as never,
  data: (options) =>
    createShardEngine({ ...options, arn: 'arn:aws:kinesis:us-east-1:123456789012:stream/clicks' } as never) as never,
  table: (options) =>
    createShardEngine({
      ...options,
      arn: 'arn:aws:dynamodb:us-east-1:123456789012:table/notes/stream/1',
    } as never) as never,
  async: (options) => createAsyncEngine(options as never) as never,
};

/** Three records: the first and the third of one group. */
const RECORDS: Readonly<Record<Source, readonly object[]>> = {
  queue: ['1', '2', '3'].map((messageId) => ({ messageId, body: '' })),
  fifo: ['1', '2', '3'].map((messageId) => ({ messageId, body: '', groupId: messageId === '2' ? 'b' : 'a' })),
  data: ['1', '2', '3'].map((sequenceNumber) => ({ sequenceNumber, eventID: sequenceNumber })),
  table: ['1', '2', '3'].map((sequenceNumber) => ({ sequenceNumber, eventID: sequenceNumber })),
  async: ['1', '2', '3'].map((id) => ({ id, event: {} })),
};

it.each(STATEMENTS.map((row): [string, Row] => [row.statement, row]))('%s', async (_statement, row) => {
  const clock = new TrackedClock();
  const left = [...row.outcomes];
  const delivered: string[] = [];
  const engine = MAKERS[row.source]({
    ...row.options,
    clock,
    invoke: async ({ records }) => {
      const ids = (records as readonly { readonly id: string }[]).map(({ id }) => id).sort();
      delivered.push(`${clock.monotonicMs() / 1000}: ${ids.join(' ')}`);
      return left.shift() ?? report();
    },
  });
  engine.send(RECORDS[row.source] as never);
  let isOver = false;
  void engine.settle().then(() => {
    isOver = true;
  });
  for (let turns = 0; turns < 20 && !isOver; turns += 1) {
    await clock.advance((clock.nextDue ?? clock.monotonicMs()) - clock.monotonicMs());
  }
  expect(delivered).toEqual(row.delivered);
  expect(engine.snapshot().ended).toMatchObject(row.ended ?? {});
  expect(isOver).toBe(true);
});

it('docs/simulation.md has these statements and no others, each with its source', () => {
  const page = readFileSync(new URL('../../../docs/simulation.md', import.meta.url), 'utf8');
  const rows = [...page.matchAll(/^\| (.+?) \| \[[^\]]+\]\((.+?)\) \|$/gm)].map(
    ([, statement, from]) => `${statement} <${from}>`,
  );
  expect(rows.sort()).toEqual(STATEMENTS.map(({ statement, from }) => `${statement} <${from}>`).sort());
});
