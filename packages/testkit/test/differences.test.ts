import {
  batchDifferences,
  type DoorDifferenceOptions,
  type DoorExchange,
  doorDifferences,
  type HttpDoorKind,
} from '../src/events.js';

const BYTES = Uint8Array.of(0, 255, 1, 2);
const CHALLENGE = { statusCode: 401, headers: { 'WWW-Authenticate': 'Bearer', 'x-own': '1' } };
const PNG = { statusCode: 200, body: 'AAEC', isBase64Encoded: true };

describe('doorDifferences compares an exchange with the facts of the door', () => {
  it.each<[string, HttpDoorKind, DoorExchange, DoorDifferenceOptions, string[]]>([
    ['text through a REST API', 'gateway-v1', { body: Buffer.from('ä'), answer: { statusCode: 200 } }, {}, []],
    ['bytes to a REST API', 'gateway-v1', { body: BYTES, contentType: 'image/png' }, {}, ['body.binary']],
    [
      'bytes of a type that the REST API treats as binary',
      'gateway-v1',
      { body: BYTES, contentType: 'image/png' },
      { binaryMediaTypes: ['image/png'] },
      [],
    ],
    ['bytes to an HTTP API', 'gateway-v2', { body: BYTES, answer: PNG }, {}, []],
    ['bytes from a REST API', 'gateway-v1', { answer: PNG }, {}, ['body.binary']],
    [
      'bytes for a client that accepts another type first',
      'gateway-v1',
      { answer: PNG, accept: 'text/html, image/png' },
      { binaryMediaTypes: ['image/png'] },
      ['body.binary'],
    ],
    [
      'bytes for a client that accepts the type',
      'gateway-v1',
      { answer: PNG, accept: 'image/png' },
      { binaryMediaTypes: ['image/png'] },
      [],
    ],
    ['a challenge of a REST API', 'gateway-v1', { answer: CHALLENGE }, {}, ['header.renamed']],
    ['a challenge of a function URL', 'function-url', { answer: CHALLENGE }, {}, ['header.renamed']],
    ['a challenge of an HTTP API', 'gateway-v2', { answer: CHALLENGE }, {}, []],
    ['a challenge of a load balancer', 'load-balancer', { answer: CHALLENGE }, {}, []],
    ['cookies of a REST API', 'gateway-v1', { answer: { statusCode: 200, cookies: ['a=1'] } }, {}, ['answer.ignored']],
    ['cookies of an HTTP API', 'gateway-v2', { answer: { statusCode: 200, cookies: ['a=1'] } }, {}, []],
    ['no cookies of a REST API', 'gateway-v1', { answer: { statusCode: 200, cookies: [] } }, {}, []],
    [
      'lists of headers from an HTTP API',
      'gateway-v2',
      { answer: { statusCode: 200, multiValueHeaders: { a: ['1'] } } },
      {},
      ['answer.ignored'],
    ],
    [
      'lists of headers from a load balancer with single values',
      'load-balancer',
      { answer: { statusCode: 200, multiValueHeaders: { a: ['1'] } } },
      {},
      ['answer.ignored'],
    ],
    [
      'single headers from a load balancer with lists',
      'load-balancer',
      { answer: { statusCode: 200, headers: { a: '1' } } },
      { multiValue: true },
      ['answer.ignored'],
    ],
    [
      '2 MB, where a load balancer is a door too',
      'gateway-v2',
      { answer: { statusCode: 200, body: 'x'.repeat(2_000_000) } },
      { doors: ['gateway-v2', 'load-balancer'] },
      ['answer.limit'],
    ],
    [
      '2 MB through an HTTP API alone',
      'gateway-v2',
      { answer: { statusCode: 200, body: 'x'.repeat(2_000_000) } },
      {},
      [],
    ],
    ['29.5 seconds through an HTTP API', 'gateway-v2', { durationMs: 29_500 }, {}, []],
    [
      '29.5 seconds, where a REST API is a door too',
      'gateway-v2',
      { durationMs: 29_500 },
      { doors: ['gateway-v2', 'gateway-v1'] },
      ['duration.door'],
    ],
    ['31 seconds through a function URL', 'function-url', { durationMs: 31_000 }, {}, []],
  ])('%s', (_title, kind, exchange, options, topics) => {
    expect(doorDifferences(kind, exchange, options).map(({ topic }) => topic)).toEqual(topics);
  });

  it('names the header and the new name', () => {
    const [difference] = doorDifferences('gateway-v1', { answer: CHALLENGE });
    expect(difference?.text).toContain('WWW-Authenticate to the client as x-amzn-remapped-www-authenticate');
    expect(difference?.source).toBe(
      'https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-known-issues.html',
    );
  });

  it('rejects an unknown option', () => {
    expect(() => doorDifferences('gateway-v1', {}, { binary: [] } as never)).toThrow(
      expect.failure('app.invalid_configuration', 'binary'),
    );
  });
});

describe('batchDifferences counts the records that AWS would delete', () => {
  const TWO = { batchItemFailures: [{ itemIdentifier: 'm-1' }, { itemIdentifier: 'm-2' }] };
  it.each<[string, unknown, boolean | undefined, string[]]>([
    ['two failed records without the setting', TWO, false, ['2 records would be lost']],
    ['two failed records if no file states the setting', TWO, undefined, ['2 records would be lost']],
    ['two failed records with the setting', TWO, true, []],
    ['no failed record', { batchItemFailures: [] }, false, []],
    ['an answer without a list', 'ok', false, []],
    ['no answer', undefined, false, []],
  ])('%s', (_title, answer, reports, texts) => {
    const found = batchDifferences(answer, reports);
    expect(found.map(({ text }) => texts.find((part) => text.includes(part)) ?? text)).toEqual(texts);
  });
});
