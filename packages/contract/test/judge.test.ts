import { type DoneMessage, type JsonObject, judge } from '../src/index.js';

const done = (outcome: JsonObject, construction_error: JsonObject | null = null): DoneMessage => ({
  type: 'done',
  seq: 1,
  construction_error,
  steps: construction_error ? [] : [{ logs: [], metrics: [], spans: [], calls: [], ...outcome }],
});

const where = (expected: JsonObject, found: JsonObject) =>
  judge({ steps: [expected] }, done(found)).map(({ path }) => path);

const TEXT = { status: 200, headers: { 'content-type': ['text/plain'] }, cookies: [], body: { base64: 'aGk=' } };

describe('judgement', () => {
  it('fails on an extra header, a missing one, and on another order of cookies', () => {
    const expected = { status: 200, headers: { 'content-type': ['text/plain'] }, body: { text: 'hi' } };
    expect(where({ response: expected }, { response: TEXT })).toEqual([]);
    expect(
      where({ response: expected }, { response: { ...TEXT, headers: { ...TEXT.headers, 'x-a': ['1'] } } }),
    ).toEqual(['.response.headers["x-a"]']);
    expect(where({ response: expected }, { response: { ...TEXT, headers: {} } })).toEqual([
      '.response.headers["content-type"]',
    ]);
    const cookies = { ...expected, cookies: ['a=1', 'b=2'] };
    expect(where({ response: cookies }, { response: { ...TEXT, cookies: ['b=2', 'a=1'] } })).toEqual([
      '.response.cookies[0]',
      '.response.cookies[1]',
    ]);
  });

  it('treats an absent body as empty, and absent cookies as an empty list', () => {
    const expected = { response: { status: 200, headers: TEXT.headers } };
    expect(where(expected, { response: { ...TEXT, body: { base64: '' } } })).toEqual([]);
    expect(where(expected, { response: TEXT })).toEqual(['.response.body']);
    expect(where(expected, { response: { ...TEXT, body: { base64: '' }, cookies: ['a=1'] } })).toEqual([
      '.response.cookies[0]',
    ]);
  });

  it('judges a body as JSON, text or bytes', () => {
    const body = (expected: JsonObject, base64: string) =>
      where(
        { response: { status: 200, headers: TEXT.headers, body: expected } },
        { response: { ...TEXT, body: { base64 } } },
      );
    expect(body({ json: { a: 1 } }, 'eyAiYSI6MSB9')).toEqual([]);
    expect(body({ json: { a: 1 } }, 'aGk=')).toEqual(['.response.body.json']);
    expect(body({ base64: 'AP8=' }, 'AP8=')).toEqual([]);
    expect(body({ text: 'ho' }, 'aGk=')).toEqual(['.response.body.text']);
  });

  it('derives a response from the native answer of each front door', () => {
    const expected = {
      status: 201,
      headers: { 'x-a': ['1'], 'x-b': ['1', '2'] },
      cookies: ['a=1', 'b=2'],
      body: { text: 'hi' },
    };
    const head = { statusCode: 201, body: 'hi', isBase64Encoded: false };
    const v1 = {
      ...head,
      headers: { 'x-a': '1' },
      multiValueHeaders: { 'x-b': ['1', '2'], 'set-cookie': ['a=1', 'b=2'] },
    };
    const alb = { ...head, multiValueHeaders: { 'x-a': ['1'], 'x-b': ['1', '2'], 'set-cookie': ['a=1', 'b=2'] } };
    expect(where({ response: expected }, { result: v1 })).toEqual([]);
    expect(where({ response: expected }, { result: alb })).toEqual([]);
    const v2 = {
      ...head,
      body: 'aGk=',
      isBase64Encoded: true,
      headers: { 'x-a': '1', 'x-b': '1,2' },
      cookies: ['a=1', 'b=2'],
    };
    expect(where({ response: { ...expected, headers: { 'x-a': ['1'], 'x-b': ['1,2'] } } }, { result: v2 })).toEqual([]);
    expect(where({ response: expected }, { result: { batchItemFailures: [] } })).toEqual(['.response']);
  });

  it('compares chunks only if they are given', () => {
    const found = { ...TEXT, chunks: [{ base64: 'aA==' }, { base64: 'aQ==' }] };
    const expected = { status: 200, headers: TEXT.headers, body: { text: 'hi' } };
    expect(where({ response: expected }, { response: found })).toEqual([]);
    expect(where({ response: { ...expected, chunks: [{ text: 'h' }, { text: 'i' }] } }, { response: found })).toEqual(
      [],
    );
    expect(where({ response: { ...expected, chunks: [{ text: 'hi' }] } }, { response: found })).toEqual([
      '.response.chunks[0]',
      '.response.chunks[1]',
    ]);
  });

  it('fails for a log that `logs: []` excludes, and accepts any log without `logs`', () => {
    const found = { result: 1, logs: [{ level: 'info', event: 'x' }] };
    expect(where({ result: 1, logs: [] }, found)).toEqual(['.logs[0]']);
    expect(where({ result: 1 }, found)).toEqual([]);
    expect(where({ result: 1, logs: [{ level: 'info', $open: true }] }, found)).toEqual([]);
    expect(where({ result: 1, logs: [{ level: 'info' }] }, found)).toEqual(['.logs[0].event']);
  });

  it('fails if a runtime does not report expected records', () => {
    expect(judge({ steps: [{ result: 1, logs: [] }] }, { ...done({}), steps: [{ result: 1 }] })).toMatchObject([
      { path: '.logs', found: '(absent)' },
    ]);
  });

  it('compares message and code of an error exactly, its details only if given', () => {
    const found = { error: { message: 'm', code: 'c', details: { a: 1 } } };
    expect(where({ error: { message: 'm', code: 'c' } }, found)).toEqual([]);
    expect(where({ error: { message: 'M', code: '' } }, found)).toEqual(['.error.message', '.error.code']);
    expect(where({ error: { message: 'm', code: 'c', details: {} } }, found)).toEqual(['.error.details.a']);
    expect(where({ error: { message: 'm', code: 'c' } }, { result: null })).toEqual(['.error']);
    expect(where({ result: null }, found)).toEqual(['.result']);
  });

  it('fails on an unexpected failure of a stream', () => {
    expect(where({ response: TEXT }, { response: TEXT, stream_error: 'app.internal' })).toContain('.stream_error');
  });

  it('compares construction errors with the expected ones: a missing one fails, and so does an unexpected one', () => {
    const error = { message: 'm', code: 'c' };
    expect(judge({ construction_error: error }, done({}, error))).toEqual([]);
    expect(judge({ construction_error: error }, done({ result: 1 })).map(({ path }) => path)).toEqual([
      '.error',
      '.steps.length',
    ]);
    expect(judge({ steps: [{ result: 1 }] }, done({}, error)).map(({ path }) => path)).toEqual([
      '.error',
      '.steps.length',
    ]);
  });

  it('accepts an outcome without a result where null is expected', () => {
    expect(where({ result: null }, {})).toEqual([]);
  });

  it('finds forbidden strings in answers, keys, records and encoded bodies', () => {
    const forbidden = (outcome: JsonObject) =>
      judge({ forbidden: ['secret'], steps: [{ result: { $any: 'object' } }] }, done({ result: {}, ...outcome }))
        .length;
    expect(forbidden({})).toBe(0);
    expect(forbidden({ result: { a: ['my secret'] } })).toBe(1);
    expect(forbidden({ logs: [{ secret: 1 }] })).toBe(1);
    expect(
      judge({ forbidden: ['key'], steps: [{ result: 'a2V5' }] }, done({ result: 'a2V5' })).map(({ path }) => path),
    ).toEqual(['.forbidden']);
    expect(forbidden({ result: { body: Buffer.from('a secret!').toString('base64') } })).toBe(1);
  });
});
