import { gzipSync } from 'node:zlib';
import { createApp } from '@sallyport/dispatch/app';
import { createTestEnv } from '@sallyport/testkit';
import {
  type Alarm,
  alarmAction,
  type LogsTriggerOptions,
  logsTrigger,
  type SesMessage,
  type SesTriggerOptions,
  sesTrigger,
} from '@sallyport/triggers';
import { buildAlarmEvent, buildLogsEvent, buildSesEvent } from '@sallyport/triggers/testing';
import { errorsIn, HOSTS } from './support.js';

describe.each(HOSTS)('in %s', (name, host) => {
  const text = name === 'the secure container' ? 'framework: event workload failed' : 'disk full';
  const boom = () => {
    throw new Error('disk full');
  };

  it.each<[unknown, SesTriggerOptions['onError'], string]>([
    ['continue', 'stop', 'CONTINUE'],
    ['stop_rule', 'continue', 'STOP_RULE'],
    ['stop_rule_set', 'continue', 'STOP_RULE_SET'],
    [undefined, 'stop', 'STOP_RULE_SET'],
    ['CONTINUE', 'stop', 'STOP_RULE_SET'],
    [undefined, 'continue', 'CONTINUE'],
  ])('a rule that waits gets for %j, with onError %s, %s', async (result, onError, disposition) => {
    const { handleLambda } = host(() => sesTrigger({ onError }).rule(() => result as never));
    const event = buildSesEvent({ invocationType: 'RequestResponse' });
    await expect(handleLambda(event)).resolves.toEqual({ disposition });
  });

  it('an error stops a mail or passes it on, as configured; a rule that does not wait gets the error', async () => {
    const make = (onError: 'stop' | 'continue') => host(() => sesTrigger({ onError }).rule(boom));
    const awaited = buildSesEvent({ invocationType: 'RequestResponse' });
    await expect(make('stop').handleLambda(awaited)).resolves.toEqual({ disposition: 'STOP_RULE_SET' });
    await expect(make('continue').handleLambda(awaited)).resolves.toEqual({ disposition: 'CONTINUE' });
    await expect(make('stop').handleLambda(buildSesEvent())).rejects.toThrow(text);
  });

  it('the members of a mail event are read', async () => {
    const seen: Omit<SesMessage, 'mail'>[] = [];
    const { handleLambda } = host(() =>
      sesTrigger({ onError: 'stop' }).rule((_ctx, { mail: _mail, ...message }) => {
        seen.push(message);
        return 'continue';
      }),
    );
    await expect(handleLambda(buildSesEvent({ spam: 'FAIL' }))).resolves.toBeNull();
    expect(seen).toEqual([
      {
        messageId: 'mail-1',
        source: 'sender@example.com',
        recipients: ['recipient@example.com'],
        subject: 'Subject',
        verdicts: { spam: 'FAIL', virus: 'PASS', spf: 'PASS', dkim: 'PASS', dmarc: 'PASS' },
      },
    ]);
  });

  it('lines reach the handler of their log group; the service’s own check runs nothing', async () => {
    const seen: string[] = [];
    const { handleLambda } = host(() =>
      logsTrigger().group('/aws/lambda/orders', (_ctx, { log_events }) => {
        seen.push(...log_events.map(({ message }) => message));
      }),
    );
    await expect(handleLambda(buildLogsEvent({ messages: ['a', 'b'] }))).resolves.toBeNull();
    await expect(handleLambda(buildLogsEvent({ messageType: 'CONTROL_MESSAGE' }))).resolves.toBeNull();
    await expect(handleLambda(buildLogsEvent({ logGroup: 'other' }))).rejects.toMatchObject({
      code: 'triggers.no_handler',
    });
    expect(seen).toEqual(['a', 'b']);
  });

  it.each([
    ['a gzip bomb', gzipSync(Buffer.alloc(50_000_000)).toString('base64')],
    ['no gzip', 'AAAA'],
    ['no base64', '%%%%'],
  ])('%s is rejected', async (_what, data) => {
    const { handleLambda } = host(() => logsTrigger().group('g', boom));
    await expect(handleLambda({ awslogs: { data } })).rejects.toMatchObject({
      code: 'streams.log_subscription_invalid',
    });
  });

  it('the members of an alarm event are read, and an error of its handler is thrown', async () => {
    const seen: Omit<Alarm, 'data'>[] = [];
    const read = host(() => alarmAction((_ctx, { data: _data, ...alarm }) => void seen.push(alarm)));
    await expect(read.handleLambda(buildAlarmEvent())).resolves.toBeNull();
    expect(seen).toEqual([
      {
        arn: 'arn:aws:cloudwatch:us-east-1:123456789012:alarm:alarm-1',
        name: 'alarm-1',
        state: 'ALARM',
        previousState: 'OK',
        reason: 'test',
        time: '1970-01-01T00:00:00.000+0000',
      },
    ]);
    await expect(host(() => alarmAction(boom)).handleLambda(buildAlarmEvent())).rejects.toThrow(text);
  });
});

it.each<[string, () => unknown, readonly string[]]>([
  ['a disposition', () => 'stop_rule', []],
  ['an error', () => Promise.reject(new Error('disk full')), ['disk full']],
  ['another text', () => 'STOP', ['framework: must be continue, stop_rule or stop_rule_set']],
])('a rule that waits logs one error for each failure: %s', async (_what, handler, expected) => {
  const env = createTestEnv();
  const app = createApp({ ...env.options(), surfaces: [sesTrigger({ onError: 'stop' }).rule(handler as never)] });
  await app.handleLambda(buildSesEvent({ invocationType: 'RequestResponse' }));
  expect(errorsIn(env)).toEqual(expected);
});

it.each<[string, () => unknown]>([
  ['SES without onError', () => sesTrigger({} as never)],
  [
    'a second rule',
    () =>
      sesTrigger({ onError: 'stop' })
        .rule(() => 'continue')
        .rule(() => 'continue'),
  ],
  ['an alarm without handler', () => alarmAction(5 as never)],
  ['a blank log group', () => logsTrigger().group('', () => {})],
  ['the builder of SES', () => buildSesEvent({ colour: 1 } as never)],
  ['the builder of logs', () => buildLogsEvent({ messages: 'x' } as never)],
  ['the builder of alarms', () => buildAlarmEvent({ state: 'RED' } as never)],
])('%s is rejected', (_what, make) => {
  expect(make).toThrow(expect.failure('app.invalid_configuration'));
});

describe('lines of log groups', () => {
  const line = (index: number, more: object = {}) => ({ id: `l${index}`, timestamp: 5, message: 'm', ...more });
  const logs = (logEvents: readonly object[], logGroup = '/aws/lambda/orders') => {
    const document = { messageType: 'DATA_MESSAGE', owner: '123456789012', logGroup, logStream: 's' };
    const data = gzipSync(JSON.stringify({ ...document, subscriptionFilters: ['f'], logEvents })).toString('base64');
    return { awslogs: { data } };
  };

  it('of every group reach the handler of all, except groups with a separate handler', async () => {
    const seen: string[] = [];
    const surface = logsTrigger()
      .group('*', (ctx) => void seen.push(`* ${ctx.source.name}`))
      .group('/aws/lambda/orders', () => void seen.push('orders'));
    await surface.handleLambda(logs([line(1)]));
    await surface.handleLambda(logs([line(1)], '/aws/lambda/stock'));
    expect(seen).toEqual(['orders', '* /aws/lambda/stock']);
    expect(surface.triggers()).toEqual([
      { kind: 'logs', name: '*' },
      { kind: 'logs', name: '/aws/lambda/orders' },
    ]);
  });

  it('have the fields that the filter has extracted', async () => {
    const seen: unknown[] = [];
    const surface = logsTrigger().group('*', (_ctx, { log_events }) => void seen.push(...log_events));
    const extractedFields = { ip: '198.51.100.1', $status: '404' };
    await surface.handleLambda(logs([line(1, { extractedFields }), line(2), line(3, { extractedFields: 'x' })]));
    expect(seen).toEqual([line(1, { extractedFields }), line(2), line(3)]);
  });

  it('of 5 MB that compress well are read', async () => {
    let count = 0;
    const surface = logsTrigger().group('*', (_ctx, { log_events }) => {
      count = log_events.length;
    });
    const events = Array.from({ length: 12_000 }, (_, index) =>
      line(index, { message: 'connection refused '.repeat(25) }),
    );
    await surface.handleLambda(logs(events));
    expect(count).toBe(12_000);
  });

  it.each<[string, LogsTriggerOptions]>([
    ['bytes', { maxDocumentBytes: 600 }],
    ['lines', { maxEvents: 20 }],
  ])('are bounded in their number of %s', async (_what, options) => {
    const surface = logsTrigger(options).group('*', () => {});
    await expect(
      surface.handleLambda(logs(Array.from({ length: 21 }, (_, index) => line(index)))),
    ).rejects.toMatchObject({
      code: 'streams.log_subscription_invalid',
    });
    await expect(surface.handleLambda(logs([line(1)]))).resolves.toBeNull();
  });

  it.each([{ maxEvents: 0 }, { maxDocumentBytes: 268_435_457 }, { limit: 5 }])(
    'the options %j are rejected',
    (options) => {
      expect(() => logsTrigger(options as never)).toThrow(expect.failure('app.invalid_configuration', 'option "'));
    },
  );
});
