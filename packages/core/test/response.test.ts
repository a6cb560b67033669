import { canonicalizeResponse, closeStream, OutgoingResponse, toResponse } from '../src/response/response.js';

const canonical = (input: unknown, method = 'GET') => canonicalizeResponse(toResponse(input), method);

describe('toResponse', () => {
  it('defaults to an empty 200', () => {
    expect(toResponse({})).toMatchObject({ status: 200, cookies: [], bodyStream: null, isBase64: false });
    expect(toResponse({}).body).toHaveLength(0);
  });

  it.each([[undefined], [null], [1], ['text'], [true], [[]], [() => {}], [{ body: 1 }], [{ body: {} }]])(
    'rejects the response %p',
    (value) => {
      expect(() => toResponse(value)).toThrow(expect.objectContaining({ code: 'app.internal' }));
    },
  );

  it.each<[string, unknown, string]>([
    ['the shape of Lambda', { statusCode: 404, body: 'no' }, '"statusCode"'],
    ['a value', { ok: true }, '"ok"'],
    ['a response with a member too many', { status: 200, body: 'x', isBase64Encoded: true }, '"isBase64Encoded"'],
    [
      'an instance',
      new (class Order {
        id = 1;
      })(),
      '"id"',
    ],
    ['a map', new Map(), 'an object'],
    ['a date', new Date(0), 'an object'],
    ['text', 'hi', 'a string'],
    ['nothing', undefined, 'nothing'],
  ])('rejects %s, and names the possible results', (_, value, named) => {
    expect(() => toResponse(value)).toThrow(
      expect.objectContaining({
        code: 'app.internal',
        cause: expect.objectContaining({ message: expect.stringContaining(named) }),
      }),
    );
    expect(() => toResponse(value)).toThrow(
      expect.objectContaining({
        cause: expect.objectContaining({ message: expect.stringContaining('return json(200, value)') }),
      }),
    );
  });

  it('accepts a web Response: status, headers, each cookie, the stream', async () => {
    const headers = new Headers({ 'X-A': '1', 'content-type': 'text/plain' });
    headers.append('set-cookie', 'a=1');
    headers.append('set-cookie', 'b=2');
    const response = canonical(new globalThis.Response('hé', { status: 201, headers }));
    expect([response.status, { ...response.headers }]).toEqual([201, { 'content-type': ['text/plain'], 'x-a': ['1'] }]);
    expect(response.cookies).toEqual(['a=1', 'b=2']);
    const chunks: Uint8Array[] = [];
    for await (const chunk of response.bodyStream ?? []) chunks.push(chunk);
    expect(Buffer.concat(chunks).toString()).toBe('hé');
    expect(canonical(new globalThis.Response(null, { status: 204 })).bodyStream).toBeNull();
  });

  it('rejects a web Response that was read, and one of a failed fetch', async () => {
    const read = new globalThis.Response('x');
    await read.text();
    expect(() => toResponse(read)).toThrow(expect.objectContaining({ code: 'app.internal' }));
    expect(() => canonical(globalThis.Response.error())).toThrow(expect.objectContaining({ code: 'app.internal' }));
  });

  it('keeps text as text until bytes are called for', () => {
    const response = toResponse({ body: 'é' });
    expect(response.content).toBe('é');
    expect([...response.body]).toEqual([0xc3, 0xa9]);
    expect(response.body).toBe(response.body);
  });

  it('keeps the body of a spread copy', () => {
    const copy = toResponse({ ...toResponse({ body: 'abc', status: 201 }), status: 202 });
    expect([copy.status, copy.content]).toEqual([202, 'abc']);
  });

  it('returns the same object for a response of ours', () => {
    const response = new OutgoingResponse(200, {}, 'x');
    expect(toResponse(response)).toBe(response);
    response.body = 'y';
    expect(response.content).toBe('y');
  });
});

describe('canonicalizeResponse', () => {
  it('moves set-cookie headers, in any case, to the end of the cookies', () => {
    const response = canonical({ cookies: ['a=1'], headers: { 'Set-Cookie': ['b=2', 'c=3, Expires=x'], 'X-A': '1' } });
    expect(response.cookies).toEqual(['a=1', 'b=2', 'c=3, Expires=x']);
    expect({ ...response.headers }).toEqual({ 'x-a': ['1'] });
  });

  it.each([[199], [600], [0], [200.5], [Number.NaN], ['200'], [null], [100]])('rejects the status %p', (status) => {
    const input = { status: status as number };
    if (status === null) expect(canonical(input).status).toBe(200);
    else expect(() => canonical(input)).toThrow(expect.objectContaining({ code: 'app.internal' }));
  });

  it.each([
    ['a header value with CR', { headers: { a: 'x\ry' } }],
    ['a header value with LF', { headers: { a: ['ok', 'x\ny'] } }],
    ['a header value with NUL', { headers: { a: 'x\0' } }],
    ['a header value above U+00FF', { headers: { a: 'Ā' } }],
    ['a cookie above U+00FF', { cookies: ['a=€'] }],
    ['a name with a blank inside', { headers: { 'a b': 'x' } }],
    ['a name with a colon', { headers: { 'a:': 'x' } }],
    ['a name outside ASCII', { headers: { ä: 'x' } }],
    ['a cookie with CR LF', { cookies: ['a=1\r\nx: y'] }],
    ['a set-cookie header with LF', { headers: { 'set-cookie': 'a=1\nx' } }],
    ['a cookie that is no string', { cookies: [1] }],
  ])('rejects %s', (_, input) => {
    expect(() => canonical(input)).toThrow(expect.objectContaining({ code: 'app.internal' }));
  });

  it('reads values that a middleware wrote directly into the header map', () => {
    const response = toResponse({});
    response.headers['X-Late'] = ['1'];
    expect({ ...canonicalizeResponse(response, 'GET').headers }).toEqual({ 'x-late': ['1'] });
    const single = toResponse({});
    (single.headers as Record<string, unknown>)['x-one'] = 'v';
    expect({ ...canonicalizeResponse(single, 'GET').headers }).toEqual({ 'x-one': ['v'] });
  });

  it.each([
    [204, 'GET', ''],
    [304, 'GET', ''],
    [200, 'HEAD', ''],
    [200, 'GET', 'body'],
    [205, 'GET', 'body'],
  ])('answers status %d to %s with the body %j', (status, method, body) => {
    const response = canonical({ status, body: 'body', isBase64: true }, method);
    expect(Buffer.from(response.body).toString()).toBe(body);
    expect(response.isBase64).toBe(body !== '');
  });

  it('closes the stream of a body that will not be sent', async () => {
    let closed = 0;
    const stream = {
      [Symbol.asyncIterator]: () => ({
        next: async () => ({ done: false as const, value: Uint8Array.of(1) }),
        return: async () => {
          closed += 1;
          return { done: true as const, value: undefined };
        },
      }),
    };
    const response = canonical({ bodyStream: stream }, 'HEAD');
    expect(response.bodyStream).toBeNull();
    expect(closed).toBe(1);
    await closeStream({
      [Symbol.iterator]: () => {
        throw new Error('no iterator');
      },
    });
  });
});
