import { createEventRouter } from '@sallyport/streams';
import { change, click, environment, loadEvent, reportOf } from './support.js';

describe.each([
  ['a data stream', 'serveStreamEvent', 'kinesis', 'clicks', click, 'shard:'],
  ['a table stream', 'serveTableStream', 'tableStream', 'notes', change, 'change-'],
] as const)('%s', (_name, entrypoint, method, source, record, prefix) => {
  const failing = (
    router: ReturnType<typeof createEventRouter>,
    numbers: string[],
    options?: { onFailure: 'stop' | 'continue' },
  ) => {
    const seen: string[] = [];
    const handler = (_ctx: unknown, given: object) => {
      const data = given as { kinesis?: { sequenceNumber: string }; dynamodb?: { SequenceNumber: string } };
      const sequence = data.kinesis?.sequenceNumber ?? data.dynamodb?.SequenceNumber ?? '';
      seen.push(sequence);
      if (numbers.includes(sequence)) throw new Error('no');
    };
    router[method](source, handler, options);
    return seen;
  };
  const Records = ['1', '2', '3', '4'].map((sequence) => record(sequence));

  it('tries every record and reports failures by eventID', async () => {
    const router = createEventRouter(environment().options);
    const seen = failing(router, ['2', '4']);
    expect(await router[entrypoint]({ Records })).toEqual(reportOf(`${prefix}2`, `${prefix}4`));
    expect(seen).toEqual(['1', '2', '3', '4']);
  });

  it('reports by sequence number when told so, by option or by variable', async () => {
    const byOption = createEventRouter({ ...environment().options, streamFailureIdentifier: 'sequenceNumber' });
    failing(byOption, ['2']);
    expect(await byOption[entrypoint]({ Records })).toEqual(reportOf('2'));
    const variables = { FRAMEWORK_STREAM_FAILURE_IDENTIFIER: 'sequenceNumber' };
    const byVariable = createEventRouter({ ...environment().options, environment: variables });
    failing(byVariable, ['2']);
    expect(await byVariable[entrypoint]({ Records })).toEqual(reportOf('2'));
  });

  it('takes an empty variable for none', async () => {
    const variables = { FRAMEWORK_STREAM_FAILURE_IDENTIFIER: '' };
    const router = createEventRouter({ ...environment().options, environment: variables });
    failing(router, ['2']);
    expect(await router[entrypoint]({ Records })).toEqual(reportOf(`${prefix}2`));
  });

  it('lets the option beat the variable', async () => {
    const variables = { FRAMEWORK_STREAM_FAILURE_IDENTIFIER: 'sequenceNumber' };
    const options = { ...environment().options, environment: variables, streamFailureIdentifier: 'eventID' as const };
    const router = createEventRouter(options);
    failing(router, ['2']);
    expect(await router[entrypoint]({ Records })).toEqual(reportOf(`${prefix}2`));
  });

  it('stops at the first failure when told so, and reports it and the rest', async () => {
    const router = createEventRouter(environment().options);
    const seen = failing(router, ['2', '3'], { onFailure: 'stop' });
    expect(await router[entrypoint]({ Records })).toEqual(reportOf(`${prefix}2`, `${prefix}3`, `${prefix}4`));
    expect(seen).toEqual(['1', '2']);
  });

  it('throws for a failed record without an identifier and starts no further one', async () => {
    const router = createEventRouter(environment().options);
    const seen = failing(router, ['1']);
    const nameless = { ...record('1'), eventID: ' ' };
    await expect(router[entrypoint]({ Records: [nameless, record('2')] })).rejects.toMatchObject({
      code: 'streams.missing_identifier',
    });
    expect(seen).toEqual(['1']);
  });

  it('throws for a missing sequence number where that is the identifier', async () => {
    const router = createEventRouter({ ...environment().options, streamFailureIdentifier: 'sequenceNumber' });
    failing(router, []);
    const nameless = { ...record('1'), kinesis: null, dynamodb: null, eventSourceARN: 'arn:aws:x' };
    await expect(router[entrypoint]({ Records: [nameless] })).rejects.toMatchObject({
      code: 'streams.missing_identifier',
    });
  });

  it('reports every record when one of them is unregistered', async () => {
    const router = createEventRouter(environment().options);
    const seen = failing(router, []);
    const stranger = { ...record('9'), eventSourceARN: String(record('9').eventSourceARN).replace(source, 'other') };
    const answer = await router[entrypoint]({ Records: [record('1'), stranger] });
    expect(answer).toEqual(reportOf(`${prefix}1`, `${prefix}9`));
    expect(seen).toEqual([]);
  });

  it('has no default handler', async () => {
    const router = createEventRouter(environment().options);
    expect(await router[entrypoint]({ Records: [record('1'), record('2')] })).toEqual(
      reportOf(`${prefix}1`, `${prefix}2`),
    );
  });
});

describe('names of streams and tables', () => {
  it.each([
    ['stream', 'clicks'],
    ['stream', 'arn:aws:kinesis:us-east-2:123456789012:stream/clicks'],
    ['stream-enhanced-fan-out', 'clicks'],
    ['stream-enhanced-fan-out', 'arn:aws:kinesis:us-east-2:123456789012:stream/clicks'],
    ['stream', 'arn:aws:kinesis:us-east-2:123456789012:stream/clicks/consumer/clicks-consumer:1545084650'],
    ['stream-tumbling-window', 'clicks'],
  ])('%s is served under %s', async (event, name) => {
    const router = createEventRouter(environment().options);
    router.kinesis(name, () => {});
    expect(await router.serveKinesisEvent(loadEvent(event))).toEqual(reportOf());
  });

  it.each([
    ['table-stream', 'notes'],
    ['table-stream', 'arn:aws:dynamodb:us-east-1:123456789012:table/notes'],
    ['table-stream', 'arn:aws:dynamodb:us-east-1:123456789012:table/notes/stream/2026-05-11T21:21:33.291'],
    ['table-stream-on-demand-replica', 'Stack-Notes.v2_1-ABC123'],
  ])('%s is served under %s', async (event, name) => {
    const router = createEventRouter(environment().options);
    router.tableStream(name, () => {});
    expect(await router.serveTableStream(loadEvent(event))).toEqual(reportOf());
  });

  it.each([
    'arn:aws:kinesis:us-east-2:123456789012:clicks',
    'arn:aws:kinesis:us-east-2:123456789012:stream/',
    'arn:aws:kinesis:us-east-2:123456789012:stream/clicks/other',
    'arn:aws:kinesis:us-east-2:123456789012:stream/clicks/consumer/',
    'arn:aws:kinesis:us-east-2:stream/clicks',
  ])('%s has no name', async (eventSourceARN) => {
    const router = createEventRouter(environment().options);
    router.kinesis('clicks', () => {});
    expect(await router.serveStreamEvent({ Records: [click('1', { eventSourceARN })] })).toEqual(reportOf('shard:1'));
  });

  it.each([
    'arn:aws:dynamodb:us-east-1:123456789012:table/notes',
    'arn:aws:dynamodb:us-east-1:123456789012:table/notes/stream/',
    'arn:aws:dynamodb:us-east-1:123456789012:table/notes/index/x',
  ])('%s is no table stream', async (eventSourceARN) => {
    const router = createEventRouter(environment().options);
    router.tableStream('notes', () => {});
    expect(await router.serveTableStream({ Records: [change('1', { eventSourceARN })] })).toEqual(reportOf('change-1'));
  });

  it('handles 500 aggregated records of one shard in order', async () => {
    const router = createEventRouter(environment().options);
    const seen: string[] = [];
    router.kinesis('clicks', async (_ctx, { kinesis }) => void seen.push(kinesis.sequenceNumber));
    const sequences = Array.from(
      { length: 500 },
      (_, index) => `4959033827149025660855969253836157109592157598913658${index}`,
    );
    expect(await router.serveStreamEvent({ Records: sequences.map((sequence) => click(sequence)) })).toEqual(
      reportOf(),
    );
    expect(seen).toEqual(sequences);
  });
});

describe('the failure identifier that nobody chose', () => {
  const warnings = (records: readonly { event: string }[]) =>
    records.filter(({ event }) => event === 'streams.failure_identifier_default');

  it.each(['AWS_LAMBDA_FUNCTION_NAME', 'AWS_LAMBDA_RUNTIME_API', 'LAMBDA_TASK_ROOT', 'AWS_EXECUTION_ENV'])(
    'is warned of once an instance on real Lambda (%s)',
    async (variable) => {
      const { options, records } = environment();
      const router = createEventRouter({ ...options, environment: { [variable]: 'x' } });
      router
        .kinesis('clicks', () => {})
        .tableStream('notes', () => {})
        .queue('orders', () => {});
      await router.serveQueueEvent({ Records: [] });
      expect(warnings(records)).toEqual([]);
      await router.serveStreamEvent({ Records: [click('1')] });
      await router.serveStreamEvent({ Records: [click('2')] });
      await router.serveTableStream({ Records: [change('1')] });
      expect(warnings(records)).toEqual([
        { level: 'warn', event: 'streams.failure_identifier_default', trigger: 'stream' },
      ]);
    },
  );

  it.each([
    ['off Lambda', { environment: {} }],
    ['with an empty Lambda variable', { environment: { AWS_EXECUTION_ENV: '' } }],
    ['with the option', { environment: { AWS_EXECUTION_ENV: 'x' }, streamFailureIdentifier: 'eventID' as const }],
    ['with the variable', { environment: { AWS_EXECUTION_ENV: 'x', FRAMEWORK_STREAM_FAILURE_IDENTIFIER: 'eventID' } }],
  ])('is not warned of %s', async (_name, given) => {
    const { options, records } = environment();
    const router = createEventRouter({ ...options, ...given });
    router.kinesis('clicks', () => {});
    await router.serveStreamEvent({ Records: [click('1')] });
    expect(warnings(records)).toEqual([]);
  });

  it('is warned of through the logger where there is no hook', async () => {
    const { options, lines } = environment();
    const router = createEventRouter({ ...options, observability: {}, environment: { AWS_EXECUTION_ENV: 'x' } });
    router.kinesis('clicks', () => {});
    await router.serveStreamEvent({ Records: [click('1')] });
    expect(lines).toEqual([
      { level: 'warn', message: 'streams.failure_identifier_default', fields: { trigger: 'stream' } },
    ]);
  });

  it('is warned of on standard error where nobody listens at all', async () => {
    const written: unknown[] = [];
    const { warn } = console;
    console.warn = (...args: unknown[]) => void written.push(args);
    const router = createEventRouter({ environment: { AWS_EXECUTION_ENV: 'x' } });
    router.kinesis('clicks', () => {});
    await router.serveStreamEvent({ Records: [click('1')] });
    console.warn = warn;
    expect(written).toEqual([['{"level":"warn","event":"streams.failure_identifier_default","trigger":"stream"}']]);
  });

  it.each([
    [{ streamFailureIdentifier: 'eventId' }],
    [{ streamFailureIdentifier: '' }],
    [{ streamFailureIdentifier: null }],
    [{ environment: { FRAMEWORK_STREAM_FAILURE_IDENTIFIER: 'sequence' } }],
    [{ environment: { FRAMEWORK_STREAM_FAILURE_IDENTIFIER: 'wrong' }, streamFailureIdentifier: 'eventID' }],
  ])('refuses %j', (options) => {
    expect(() => createEventRouter(options as never)).toThrow(
      'framework: streamFailureIdentifier must be eventID or sequenceNumber',
    );
  });
});
