import { RequestContext } from '../src/internal.js';
import {
  createErrorNotifier,
  createLogger,
  ERROR_NOTIFICATION_TOPIC_ARN_ENV,
  type ErrorNotification,
  type ErrorNotifierOptions,
  recordLog,
} from '../src/observability.js';
import { ManualClock } from '../src/testing.js';
import { requestState, turns } from './support.js';

const ARN = 'arn:aws:sns:eu-west-1:123456789012:alarms';

function setup(options: Partial<ErrorNotifierOptions> = {}, lambda?: { getRemainingTimeInMillis(): number }) {
  const clock = new ManualClock();
  const sent: ErrorNotification[] = [];
  const raw: string[] = [];
  const notifier = createErrorNotifier({
    publish: (notification) => sent.push(notification),
    topicArn: ARN,
    service: 'shop',
    clock,
    environment: { AWS_LAMBDA_FUNCTION_NAME: 'fn', AWS_REGION: 'eu-west-1' },
    ...options,
  });
  const log = createLogger({
    clock,
    environment: {},
    service: 'shop',
    stacks: true,
    sinks: [notifier],
    write: (line) => raw.push(line),
  });
  const state = requestState({ clock, log, ...(lambda ? { lambda } : {}) });
  state.route = { surface: 'http', method: 'GET', pattern: '/x' };
  return {
    clock,
    sent,
    raw,
    log,
    state,
    ctx: new RequestContext(state),
    body: (n: number) => JSON.parse(sent[n]?.message ?? 'null') as Record<string, unknown>,
  };
}

describe('createErrorNotifier', () => {
  it('publishes a line of an error, sanitized and without its stack', () => {
    const { ctx, sent, body } = setup();
    ctx.log.error('failed', { error: Object.assign(new Error('password=hunter2'), { code: 'E_X' }) });
    expect(sent).toHaveLength(1);
    expect(sent[0]).toMatchObject({ topicArn: ARN, subject: 'shop: E_X' });
    expect(Object.entries(body(0))).toEqual([
      ['schema', 'framework.error-notification/v1'],
      ['service', 'shop'],
      ['function_name', 'fn'],
      ['region', 'eu-west-1'],
      ['timestamp', '1970-01-01T00:00:00.000Z'],
      ['trigger', 'gateway-v2'],
      ['route', '/x'],
      ['request_id', 'req-1'],
      ['trace_id', ''],
      ['error', { name: 'Error', code: 'E_X', message: 'password=[REDACTED]' }],
      ['count', 1],
    ]);
  });

  it('writes lines at its level and above, with and without an error', () => {
    const { log, sent, body } = setup({ minLevel: 'warn' });
    log.info('a');
    log.warn('b\u2028c');
    expect(sent.map(({ subject }) => subject)).toEqual(['shop: Error']);
    expect(body(0)).toMatchObject({ source: '', error: { name: 'Error', code: '', message: 'b\u2028c' } });
    expect(sent[0]?.message).not.toContain('\u2028');
  });

  it('sends one message per fingerprint and minute, and counts suppressed messages', async () => {
    const { ctx, sent, clock, body } = setup();
    for (let n = 0; n < 5; n += 1) ctx.log.error('failed', { error: new Error(`m${n}`) });
    ctx.log.error('failed', { error: new TypeError('other') });
    expect(sent).toHaveLength(2);
    await clock.advance(59_999);
    ctx.log.error('failed', { error: new Error('x') });
    expect(sent).toHaveLength(2);
    await clock.advance(1);
    ctx.log.error('failed', { error: new Error('x') });
    expect(sent).toHaveLength(3);
    expect(body(2).count).toBe(6);
  });

  it('sends at most so many a minute in all', async () => {
    const { log, sent, clock } = setup({ perMinute: 3 });
    for (let n = 0; n < 300; n += 1) log.error('x', { error: Object.assign(new Error('m'), { code: `c${n}` }) });
    expect(sent).toHaveLength(3);
    await clock.advance(60_000);
    for (let n = 0; n < 5; n += 1) log.error('x', { error: Object.assign(new Error('m'), { code: `d${n}` }) });
    expect(sent).toHaveLength(6);
  });

  it('keeps 256 fingerprints', async () => {
    const { log, sent, body } = setup({ perMinute: 1000 });
    for (let n = 0; n < 257; n += 1) log.error('x', { error: Object.assign(new Error('m'), { code: `c${n}` }) });
    log.error('x', { error: Object.assign(new Error('m'), { code: 'c0' }) });
    log.error('x', { error: Object.assign(new Error('m'), { code: 'c256' }) });
    expect(sent).toHaveLength(258);
    expect(body(257)).toMatchObject({ count: 1, error: { code: 'c0' } });
  });

  it('makes the subject ASCII of at most 100 characters', () => {
    const { log, sent } = setup({ service: 'Bücher\n' });
    log.error('x', { error: Object.assign(new Error('m'), { code: 'c'.repeat(120) }) });
    expect(sent[0]?.subject).toBe(`B?cher?: ${'c'.repeat(91)}`);
    expect(sent[0]?.subject).toHaveLength(100);
  });

  it.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw new Error('secret');
      },
    ],
    ['rejects', () => Promise.reject(new Error('secret'))],
  ])('warns once when publish %s, and never of itself', async (_, publish) => {
    const { log, raw } = setup({ publish, minLevel: 'warn' });
    log.error('x', { error: new Error('m') });
    await turns();
    expect(raw.map((line) => (JSON.parse(line) as { level: string; message: string }).message)).toEqual([
      'x',
      'error notification failed',
    ]);
  });
});

describe('delivery', () => {
  const later = (clock: ManualClock, ms: number) => () => new Promise<void>((resolve) => void clock.after(ms, resolve));

  async function answered(promise: Promise<void> | undefined, clock: ManualClock): Promise<number> {
    let at = promise ? -1 : 0;
    void promise?.then(() => {
      at = clock.monotonicMs();
    });
    await clock.advance(5000);
    return at;
  }

  it.each([
    [10, undefined, 10],
    [900, undefined, 500],
    [900, 300, 200],
    [900, 50, 0],
  ])('of %d ms with %p ms left holds the answer %d ms', async (ms, remaining, expected) => {
    const holder: { clock?: ManualClock } = {};
    const publish = () => later(holder.clock as ManualClock, ms)();
    const { ctx, clock, state } = setup(
      { publish },
      remaining === undefined ? undefined : { getRemainingTimeInMillis: () => remaining },
    );
    holder.clock = clock;
    ctx.log.error('x', { error: new Error('m') });
    expect(await answered(state.settleDeliveries(), clock)).toBe(expected);
    expect(clock.pendingTimers).toBe(0);
  });

  it('holds nothing when nothing was sent', () => {
    const { ctx, state } = setup();
    ctx.log.info('x');
    expect(state.settleDeliveries()).toBeUndefined();
  });

  it('holds nothing once it is done', async () => {
    const { ctx, state } = setup();
    ctx.log.error('x', { error: new Error('m') });
    await turns();
    expect(state.settleDeliveries()).toBeUndefined();
  });
});

describe('configuration', () => {
  it('does nothing without a topic', () => {
    const { log, sent } = setup({ topicArn: undefined });
    log.error('x', { error: new Error('m') });
    expect(sent).toEqual([]);
  });

  it('has the name of its variable for infrastructure code', () => {
    expect(ERROR_NOTIFICATION_TOPIC_ARN_ENV).toBe('ERROR_NOTIFICATION_TOPIC_ARN');
  });

  it('reads the topic from the environment', () => {
    const { log, sent } = setup({ topicArn: undefined, environment: { ERROR_NOTIFICATION_TOPIC_ARN: ARN } });
    log.error('x', { error: new Error('m') });
    expect(sent[0]?.topicArn).toBe(ARN);
  });

  it.each([
    'alarms',
    'arn:aws:sqs:eu-west-1:123456789012:alarms',
    'arn:aws:sns:eu-west-1:12345:alarms',
    'arn:aws:sns:eu-west-1:123456789012:',
    'arn:aws:sns:eu-west-1:123456789012:a:b',
    `${ARN}\nx`,
  ])('rejects the topic %j', (topicArn) => {
    expect(() => setup({ topicArn })).toThrow(
      expect.failure('app.invalid_configuration', 'ERROR_NOTIFICATION_TOPIC_ARN'),
    );
  });

  it.each(['arn:aws-cn:sns:cn-north-1:123456789012:alarms', 'arn:aws-us-gov:sns:us-gov-west-1:123456789012:a.fifo'])(
    'accepts the topic %s',
    (topicArn) => {
      expect(() => setup({ topicArn })).not.toThrow();
    },
  );

  it.each([[{ publish: 1 }], [{ minLevel: 'loud' }], [{ perMinute: 0 }], [{ timeoutMs: -1 }], [{ topic: ARN }]])(
    'rejects %j',
    (options) => {
      expect(() => setup(options as never)).toThrow(expect.failure('app.invalid_configuration'));
    },
  );
});

describe('records in the log', () => {
  const record = { level: 'error', event: 'request.completed', route: '/x', status: 500 } as const;

  it('do not notify again of a failure that had its line', () => {
    const { log, sent } = setup();
    recordLog(log)({ ...record, error_code: 'app.internal' });
    recordLog(log)({ ...record, event: 'event.completed', error_code: 'app.conflict' });
    expect(sent).toEqual([]);
  });

  it('notify of an answer of 5xx without an exception', () => {
    const { log, sent } = setup();
    recordLog(log)({ ...record, error_code: '' });
    expect(sent).toHaveLength(1);
  });
});
