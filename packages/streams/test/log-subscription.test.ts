import { execFileSync } from 'node:child_process';
import { gzipSync } from 'node:zlib';
import { decodeCloudWatchLogsSubscription } from '@sallyport/streams';

const document = {
  messageType: 'DATA_MESSAGE',
  owner: '123456789012',
  logGroup: '/aws/lambda/orders',
  logStream: '2026/01/02/[$LATEST]abcd',
  subscriptionFilters: ['to-kinesis'],
  logEvents: [
    { id: '3195310660696698337880902507980421114328961542429', timestamp: 1432826855000, message: 'secret line' },
  ],
};
const pack = (value: unknown) =>
  gzipSync(typeof value === 'string' || value instanceof Uint8Array ? value : JSON.stringify(value)).toString('base64');
const record = (data: unknown, eventID: unknown) => ({ eventID, kinesis: { data } }) as never;
const decodeData = (data: unknown) => decodeCloudWatchLogsSubscription(record(data, 'shard:1'));
const decode = (value: unknown) => decodeData(pack(value));
const tailOf = (work: () => unknown) => {
  try {
    work();
  } catch (error) {
    expect(error).toMatchObject({ name: 'FrameworkError', code: 'streams.log_subscription_invalid' });
    const prefix = 'framework: log subscription: ';
    const { message } = error as Error;
    expect(message.startsWith(prefix)).toBe(true);
    return message.slice(prefix.length);
  }
  return 'accepted';
};

describe('decodeCloudWatchLogsSubscription', () => {
  it('returns the document in its portable form, and a summary without messages', () => {
    const decoded = decode(document);
    const head = {
      record_id: 'shard:1',
      message_type: 'DATA_MESSAGE',
      owner: '123456789012',
      log_group: '/aws/lambda/orders',
      log_stream: '2026/01/02/[$LATEST]abcd',
    };
    expect(decoded).toEqual({
      ...head,
      subscription_filters: ['to-kinesis'],
      log_events: [
        { id: '3195310660696698337880902507980421114328961542429', timestamp: 1432826855000, message: 'secret line' },
      ],
      safe_summary: {
        ...head,
        subscription_filter_count: 1,
        log_event_count: 1,
        safe_log:
          'record_id=shard:1 message_type=DATA_MESSAGE owner=123456789012 log_group=/aws/lambda/orders log_stream=2026/01/02/[$LATEST]abcd subscription_filter_count=1 log_event_count=1',
      },
    });
    expect(JSON.stringify(decoded.safe_summary)).not.toContain('secret');
  });

  it.each([
    ['a policyLevel', { ...document, policyLevel: 'ACCOUNT_LEVEL_POLICY' }],
    ['no logEvents', { ...document, logEvents: undefined }],
    ['16 filters', { ...document, subscriptionFilters: Array(16).fill('f') }],
    ['a blank message', { ...document, logEvents: [{ id: '1', timestamp: 0, message: '' }] }],
    ['an event from before the epoch', { ...document, logEvents: [{ id: '1', timestamp: -1, message: '' }] }],
    [
      '10,000 events',
      {
        ...document,
        logEvents: Array.from({ length: 10_000 }, (_, id) => ({
          id: `${id}-${id * 7919}`,
          timestamp: id,
          message: `m${id * 104_729}`,
        })),
      },
    ],
    ['a control message', { ...document, messageType: 'CONTROL_MESSAGE' }],
    [
      'a control message with blank names',
      {
        ...document,
        messageType: 'CONTROL_MESSAGE',
        owner: '',
        logGroup: ' ',
        logStream: '',
        subscriptionFilters: ['', 'f'],
        logEvents: [{ id: ' ', timestamp: 0, message: '' }],
      },
    ],
    [
      'the check that the service itself sends',
      {
        messageType: 'CONTROL_MESSAGE',
        owner: 'CloudwatchLogs',
        logGroup: '',
        logStream: '',
        subscriptionFilters: [],
        logEvents: [
          {
            id: '',
            timestamp: 1510109208016,
            message: 'CWL CONTROL MESSAGE: Checking health of destination Firehose.',
          },
        ],
      },
    ],
  ])('accepts %s', (_name, value) => {
    expect(tailOf(() => decode(value))).toBe('accepted');
  });

  it('drops further keys of a log event', () => {
    const extracted = { id: '1', timestamp: 5, message: 'm', extractedFields: { ip: '198.51.100.1' } };
    expect(decode({ ...document, logEvents: [extracted] }).log_events).toEqual([
      { id: '1', timestamp: 5, message: 'm' },
    ]);
  });

  it('encodes the values of its summary line', () => {
    const { safe_log } = decode({ ...document, logStream: 'a b=c\nlevel=ERROR' }).safe_summary;
    expect(safe_log).toContain('log_stream=a%20b%3Dc%0Alevel%3DERROR ');
  });

  it.each<[string, unknown, unknown]>([
    ['missing eventID', pack(document), undefined],
    ['missing eventID', pack(document), ' '],
    ['missing eventID', pack(document), 5],
    ['empty data', undefined, 'e'],
    ['empty data', '', 'e'],
    ['empty data', '   ', 'e'],
    ['empty data', 5, 'e'],
    ['invalid base64', 'abc', 'e'],
    ['invalid base64', 'ab!=', 'e'],
    ['invalid base64', `${pack(document).slice(0, -4)}-_==`, 'e'],
    ['invalid base64', ` ${pack(document)}`, 'e'],
    ['invalid base64', `\n${pack(document)}abc`, 'e'],
    ['invalid gzip', Buffer.from('{}').toString('base64'), 'e'],
    ['invalid gzip', Buffer.concat([gzipSync('{}'), Buffer.from('trailing')]).toString('base64'), 'e'],
    ['invalid gzip', Buffer.concat([gzipSync('{}'), Buffer.alloc(8)]).toString('base64'), 'e'],
    ['invalid gzip', gzipSync(JSON.stringify(document)).subarray(0, 40).toString('base64'), 'e'],
  ])('rejects with %s', (tail, data, eventID) => {
    expect(tailOf(() => decodeCloudWatchLogsSubscription(record(data, eventID)))).toBe(tail);
  });

  it.each<[string, unknown]>([
    ['invalid json', ''],
    ['invalid json', '{"messageType":'],
    ['invalid json', new Uint8Array([0x22, 0xff, 0xfe, 0x22])],
    ['invalid json', `\ufeff${JSON.stringify(document)}`],
    ['document is not an object', '[]'],
    ['document is not an object', 'null'],
    ['document is not an object', '5'],
    ['field outside the envelope', { ...document, extra: 1 }],
    ['field outside the envelope', JSON.stringify(document).replace('{', '{"__proto__":{},')],
    ['field outside the envelope', { ...document, messagetype: 'DATA_MESSAGE' }],
    ['field outside the envelope', { messageType: 'x', extra: 1 }],
    ['unsupported messageType', { ...document, messageType: undefined }],
    ['unsupported messageType', { ...document, messageType: 'data_message' }],
    ['unsupported messageType', { ...document, messageType: 'OTHER', owner: '' }],
    ['missing owner', { ...document, owner: '' }],
    ['missing owner', { ...document, owner: undefined, logGroup: undefined }],
    ['missing logGroup', { ...document, logGroup: ' ' }],
    ['missing logStream', { ...document, logStream: 5 }],
    ['missing logStream', { ...document, messageType: 'CONTROL_MESSAGE', logStream: undefined }],
    ['missing owner', { ...document, messageType: 'CONTROL_MESSAGE', owner: null }],
    ['empty subscriptionFilters[0]', { ...document, messageType: 'CONTROL_MESSAGE', subscriptionFilters: [null] }],
    [
      'invalid logEvents[0]',
      { ...document, messageType: 'CONTROL_MESSAGE', logEvents: [{ timestamp: 1, message: '' }] },
    ],
    ['missing subscriptionFilters', { ...document, subscriptionFilters: undefined }],
    ['missing subscriptionFilters', { ...document, subscriptionFilters: [] }],
    ['missing subscriptionFilters', { ...document, subscriptionFilters: 'to-kinesis' }],
    ['too many subscriptionFilters', { ...document, subscriptionFilters: Array(17).fill('f') }],
    ['empty subscriptionFilters[1]', { ...document, subscriptionFilters: ['f', ''] }],
    ['empty subscriptionFilters[0]', { ...document, subscriptionFilters: [null] }],
    ['logEvents is not an array', { ...document, logEvents: {} }],
    ['logEvents is not an array', { ...document, logEvents: null }],
    [
      'too many logEvents',
      {
        ...document,
        logEvents: Array.from({ length: 10_001 }, (_, id) => ({
          id: `${id * 7919}`,
          timestamp: id,
          message: `m${id * 104_729}`,
        })),
      },
    ],
    ['invalid logEvents[0]', { ...document, logEvents: [null] }],
    ['invalid logEvents[0]', { ...document, logEvents: [{ id: '', timestamp: 1, message: 'm' }] }],
    [
      'invalid logEvents[1]',
      { ...document, logEvents: [...document.logEvents, { id: '1', timestamp: 1.5, message: 'm' }] },
    ],
    ['invalid logEvents[0]', { ...document, logEvents: [{ id: '1', timestamp: '1', message: 'm' }] }],
    ['invalid logEvents[0]', { ...document, logEvents: [{ id: '1', timestamp: 1, message: 5 }] }],
  ])('rejects with %s (%#)', (tail, value) => {
    expect(tailOf(() => decode(value))).toBe(tail);
  });

  it('does not quote its input', () => {
    const texts = ['secret', '{"secret":1}', '["secret"]', '{"messageType":"secret"}'].map((text) =>
      tailOf(() => decode(text)),
    );
    expect(texts.join()).not.toContain('secret');
  });
});

describe('the bounds of the decoder', () => {
  /** JSON of exactly so many bytes that compresses badly enough for the ratio. */
  const sized = (bytes: number) => {
    const parts: string[] = [];
    let seed = 1;
    let length = 0;
    while (length < bytes) {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      const part = seed.toString(36);
      parts.push(part);
      length += part.length;
    }
    const head = JSON.stringify({ ...document, logEvents: [{ id: '1', timestamp: 1, message: '@' }] });
    return head.replace('@', parts.join('').slice(0, bytes - head.length + 1));
  };

  /** Half noise, half repetition: below the maximum ratio, and within the compressed limit. */
  const mixed = (bytes: number) => sized(1_000_000).replace('"}]}', `${'x'.repeat(bytes - 1_000_000)}"}]}`);

  it('accept a document of 2 MiB, and not one byte more', () => {
    expect(Buffer.byteLength(mixed(2_097_152))).toBe(2_097_152);
    expect(tailOf(() => decode(mixed(2_097_152)))).toBe('accepted');
    expect(tailOf(() => decode(mixed(2_097_153)))).toBe('document too large');
  });

  it('take 1 MiB of compressed input, and not one byte more', () => {
    const bytes = (length: number) => Buffer.alloc(length, 0xa5).toString('base64');
    expect(tailOf(() => decodeData(bytes(1_048_576)))).toBe('invalid gzip');
    expect(tailOf(() => decodeData(bytes(1_048_577)))).toBe('compressed input too large');
  });

  it('have no limit of the ratio up to 64 KiB, and a limit of 100 above', () => {
    const repeated = (bytes: number) => {
      const head = JSON.stringify({ ...document, logEvents: [{ id: '1', timestamp: 1, message: '@' }] });
      return head.replace('@', 'x'.repeat(bytes - head.length + 1));
    };
    expect(Buffer.byteLength(repeated(65_536))).toBe(65_536);
    expect(tailOf(() => decode(repeated(65_536)))).toBe('accepted');
    expect(tailOf(() => decode(repeated(65_537)))).toBe('compression ratio too high');
  });

  it('stop a document that decompresses to 1 GiB before it is in memory', () => {
    const script = `
      const { createGzip, gzipSync } = await import('node:zlib');
      const { decodeCloudWatchLogsSubscription } = await import('@sallyport/streams');
      const chunks = [];
      const gzip = createGzip({ level: 9 });
      gzip.on('data', (chunk) => chunks.push(chunk));
      const done = new Promise((resolve) => gzip.on('end', resolve));
      const block = Buffer.alloc(1 << 20, 32);
      for (let written = 0; written < 1024; written += 1) if (!gzip.write(block)) await new Promise((r) => gzip.once('drain', r));
      gzip.end();
      await done;
      const data = Buffer.concat(chunks).subarray(0, 1 << 20).toString('base64');
      chunks.length = 0;
      const small = gzipSync('x').toString('base64');
      const attempt = (data) => { try { decodeCloudWatchLogsSubscription({ eventID: 'e', kinesis: { data } }); return ''; } catch (error) { return error.message; } };
      attempt(small);
      globalThis.gc();
      const before = process.memoryUsage();
      const peak = process.resourceUsage().maxRSS;
      const message = attempt(data);
      const after = process.memoryUsage();
      const growth = [after.arrayBuffers - before.arrayBuffers, after.rss - before.rss, (process.resourceUsage().maxRSS - peak) * 1024];
      console.log(JSON.stringify({ message, compressed: Buffer.byteLength(data, 'base64'), growth }));
    `;
    const out = execFileSync(
      process.execPath,
      ['--expose-gc', '--conditions=@sallyport/source', '--import', 'tsx', '--input-type=module', '-e', script],
      { cwd: new URL('..', import.meta.url), encoding: 'utf8', env: { ...process.env, NODE_OPTIONS: '' } },
    );
    const { message, compressed, growth } = JSON.parse(out);
    expect(message).toBe('framework: log subscription: document too large');
    expect(compressed).toBeGreaterThan(900_000);
    expect(Math.max(...growth)).toBeLessThan(16 * 1024 * 1024);
  });
});
