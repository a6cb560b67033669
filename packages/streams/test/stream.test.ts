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

  it('reports by sequence number with the option or the variable', async () => {
    const byOption = createEventRouter({ ...environment().options, streamFailureIdentifier: 'sequenceNumber' });
    failing(byOption, ['2']);
    expect(await byOption[entrypoint]({ Records })).toEqual(reportOf('2'));
    const variables = { FRAMEWORK_STREAM_FAILURE_IDENTIFIER: 'sequenceNumber' };
    const byVariable = createEventRouter({ ...environment().options, environment: variables });
    failing(byVariable, ['2']);
    expect(await byVariable[entrypoint]({ Records })).toEqual(reportOf('2'));
  });

  it('treats an empty variable as absent', async () => {
    const variables = { FRAMEWORK_STREAM_FAILURE_IDENTIFIER: '' };
    const router = createEventRouter({ ...environment().options, environment: variables });
    failing(router, ['2']);
    expect(await router[entrypoint]({ Records })).toEqual(reportOf(`${prefix}2`));
  });

  it('prefers the option to the variable', async () => {
    const variables = { FRAMEWORK_STREAM_FAILURE_IDENTIFIER: 'sequenceNumber' };
    const options = { ...environment().options, environment: variables, streamFailureIdentifier: 'eventID' as const };
    const router = createEventRouter(options);
    failing(router, ['2']);
    expect(await router[entrypoint]({ Records })).toEqual(reportOf(`${prefix}2`));
  });

  it('stops at the first failure with the option, and reports it and the rest', async () => {
    const router = createEventRouter(environment().options);
    const seen = failing(router, ['2', '3'], { onFailure: 'stop' });
    expect(await router[entrypoint]({ Records })).toEqual(reportOf(`${prefix}2`, `${prefix}3`, `${prefix}4`));
    expect(seen).toEqual(['1', '2']);
  });

  it('throws for a failed record without an identifier and starts no further record', async () => {
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
  ])('%s is not a table stream', async (eventSourceARN) => {
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

describe('the failure identifier', () => {
  const FUNCTION = { AWS_LAMBDA_FUNCTION_NAME: 'fn' };
  const RUNTIME_API = { AWS_LAMBDA_RUNTIME_API: '127.0.0.1:9001' };
  const LAMBDA = { ...FUNCTION, ...RUNTIME_API };
  const variable = (value: string) => ({ FRAMEWORK_STREAM_FAILURE_IDENTIFIER: value });

  it.each([
    ['nothing is set', undefined, {}, 'eventID'],
    ['only the function name is set', undefined, FUNCTION, 'eventID'],
    ['only the runtime API is set', undefined, RUNTIME_API, 'eventID'],
    ['the function name is empty', undefined, { ...LAMBDA, AWS_LAMBDA_FUNCTION_NAME: '' }, 'eventID'],
    ['the runtime API is empty', undefined, { ...LAMBDA, AWS_LAMBDA_RUNTIME_API: '' }, 'eventID'],
    ['other variables of Lambda are set', undefined, { LAMBDA_TASK_ROOT: '/t', AWS_EXECUTION_ENV: 'x' }, 'eventID'],
    ['both variables of Lambda are set', undefined, LAMBDA, 'sequenceNumber'],
    ['the variable says eventID on Lambda', undefined, { ...LAMBDA, ...variable('eventID') }, 'eventID'],
    ['the variable says sequenceNumber elsewhere', undefined, variable('sequenceNumber'), 'sequenceNumber'],
    ['the variable says auto on Lambda', undefined, { ...LAMBDA, ...variable('auto') }, 'sequenceNumber'],
    ['the variable says auto elsewhere', undefined, variable('auto'), 'eventID'],
    ['the variable is empty on Lambda', undefined, { ...LAMBDA, ...variable('') }, 'sequenceNumber'],
    ['the option says eventID on Lambda', 'eventID', LAMBDA, 'eventID'],
    ['the option says sequenceNumber elsewhere', 'sequenceNumber', {}, 'sequenceNumber'],
    ['the option says auto on Lambda', 'auto', LAMBDA, 'sequenceNumber'],
    ['the option says auto elsewhere', 'auto', {}, 'eventID'],
    ['the option auto meets another variable', 'auto', variable('sequenceNumber'), 'eventID'],
    ['the option eventID meets another variable', 'eventID', variable('sequenceNumber'), 'eventID'],
    ['the option sequenceNumber meets another variable', 'sequenceNumber', variable('eventID'), 'sequenceNumber'],
  ] as const)('when %s', async (_case, streamFailureIdentifier, variables, expected) => {
    const { options, lines, records } = environment();
    const router = createEventRouter({
      ...options,
      environment: variables,
      ...(streamFailureIdentifier && { streamFailureIdentifier }),
    });
    const refuse = () => {
      throw new Error('no');
    };
    router.kinesis('clicks', refuse).tableStream('notes', refuse);
    const byName = expected === 'eventID' ? ['shard:7', 'change-8'] : ['7', '8'];
    expect(await router.serveStreamEvent({ Records: [click('7')] })).toEqual(reportOf(String(byName[0])));
    expect(await router.serveTableStream({ Records: [change('8')] })).toEqual(reportOf(String(byName[1])));
    expect(lines.map(({ level }) => level)).toEqual(['error', 'error']);
    expect(records.map(({ level }) => level)).not.toContain('warn');
  });

  it.each([['eventId'], [''], [null], ['AUTO'], [1]])('rejects the option %j', (streamFailureIdentifier) => {
    expect(() => createEventRouter({ streamFailureIdentifier } as never)).toThrow(
      expect.failure('app.invalid_configuration', 'option "streamFailureIdentifier"'),
    );
  });

  it.each(['sequence', 'Auto', ' eventID '])('rejects the variable %j, even with an option', (value) => {
    const refused = expect.failure('app.invalid_configuration', 'FRAMEWORK_STREAM_FAILURE_IDENTIFIER');
    expect(() => createEventRouter({ environment: variable(value) })).toThrow(refused);
    expect(() => createEventRouter({ environment: variable(value), streamFailureIdentifier: 'eventID' })).toThrow(
      refused,
    );
  });
});

describe('an event of a tumbling window', () => {
  const WINDOW = { start: '2020-07-30T17:00:00Z', end: '2020-07-30T17:05:00Z' };
  const refusal = {
    code: 'streams.window_unsupported',
    message:
      'framework: tumbling windows are not supported: remove TumblingWindowInSeconds from the event source mapping',
  };

  it.each([
    ['a data stream', 'serveStreamEvent', () => ({ Records: [click('1')] })],
    ['a data stream, by its other name', 'serveKinesisEvent', () => ({ Records: [click('1')] })],
    ['a table stream', 'serveTableStream', () => ({ Records: [change('1')] })],
    ['a data stream, without records', 'serveStreamEvent', () => ({ Records: [] })],
    ['a data stream nobody registered', 'serveStreamEvent', () => ({ Records: [click('1', { eventSourceARN: 'x' })] })],
  ] as const)('is rejected before anything runs: %s', async (_case, entrypoint, event) => {
    const router = createEventRouter(environment().options);
    const seen: unknown[] = [];
    const handler = (_ctx: unknown, record: unknown) => void seen.push(record);
    router.kinesis('clicks', handler).tableStream('notes', handler);
    router.useEvents((_ctx, _event, next) => {
      seen.push('middleware');
      return next();
    });
    for (const window of [WINDOW, {}, null]) {
      await expect(router[entrypoint]({ ...event(), window, state: {} })).rejects.toMatchObject(refusal);
    }
    expect(seen).toEqual([]);
  });

  it('is detected by a separate member', async () => {
    const router = createEventRouter(environment().options).kinesis('clicks', () => {});
    const event = Object.assign(Object.create({ window: WINDOW }), { Records: [click('1')] });
    expect(await router.serveStreamEvent(event)).toEqual(reportOf());
  });

  it('is rejected as AWS documents it', async () => {
    const router = createEventRouter(environment().options).kinesis('clicks', () => {});
    await expect(router.serveStreamEvent(loadEvent('stream-tumbling-window'))).rejects.toMatchObject(refusal);
  });

  it('applies to streams only', async () => {
    const router = createEventRouter(environment().options).queue('orders', () => {});
    expect(await router.serveQueueEvent({ Records: [], window: WINDOW })).toEqual(reportOf());
  });
});
