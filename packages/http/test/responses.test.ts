import { FrameworkError } from '@sallyport/core';
import { canonicalizeResponse, closeStream } from '@sallyport/core/internal';
import {
  binary,
  created,
  html,
  htmlStream,
  json,
  noContent,
  redirect,
  safeJsonForHtml,
  text,
} from '../src/responses/responses.js';

const plain = (value: object) => ({ ...value });

async function collect(stream: unknown): Promise<string[]> {
  const chunks: string[] = [];
  for await (const chunk of stream as AsyncIterable<Uint8Array>) chunks.push(Buffer.from(chunk).toString('utf8'));
  return chunks;
}

function thrown(run: () => unknown): FrameworkError {
  try {
    run();
  } catch (error) {
    if (error instanceof FrameworkError) return error;
  }
  throw new Error('no FrameworkError was thrown');
}

describe('text, html, json and binary', () => {
  it.each([
    ['text', text(200, 'ü'), 'text/plain; charset=utf-8', 'ü', false],
    ['html', html(404, '<p>'), 'text/html; charset=utf-8', '<p>', false],
    ['json', json(201, { a: [1, null] }), 'application/json; charset=utf-8', '{"a":[1,null]}', false],
    ['json of undefined', json(200, undefined), 'application/json; charset=utf-8', 'null', false],
    ['json of null', json(200, null), 'application/json; charset=utf-8', 'null', false],
  ])('%s states its media type and keeps its body as text', (_, response, contentType, content, isBase64) => {
    expect(plain(response.headers)).toEqual({ 'content-type': [contentType] });
    expect(response.content).toBe(content);
    expect(response.isBase64).toBe(isBase64);
    expect(response.cookies).toEqual([]);
  });

  it('binary keeps every byte value and sets base64', () => {
    const bytes = Uint8Array.from({ length: 256 }, (_, byte) => byte);
    const response = binary(200, bytes);
    expect(response.content).toBe(bytes);
    expect(response.isBase64).toBe(true);
    expect(response.headers['content-type']).toEqual(['application/octet-stream']);
    expect(binary(200, bytes, 'image/png').headers['content-type']).toEqual(['image/png']);
  });

  it('creates a header map for each answer, in which every name is a header', () => {
    const { headers } = json(200, 1);
    headers['content-type']?.push('x');
    expect(json(200, 1).headers['content-type']).toEqual(['application/json; charset=utf-8']);
    expect(['constructor', 'toString', '__proto__'].filter((name) => name in headers)).toEqual([]);
    Object.assign(headers, JSON.parse('{"__proto__":["x"]}'));
    expect(Object.entries(headers)).toContainEqual(['__proto__', ['x']]);
  });

  it.each([
    ['a cycle', () => Object.assign({}, { self: null as unknown }), true],
    ['a bigint', () => 1n, false],
    ['a function', () => () => 1, false],
    ['a symbol', () => Symbol('x'), false],
    ['a toJSON that gives nothing', () => ({ toJSON: () => undefined }), false],
  ])('json of %s throws app.internal with the reason in its cause only', (_, make, cyclic) => {
    const value = make() as { self?: unknown };
    if (cyclic) value.self = value;
    const error = thrown(() => json(200, value));
    expect(error.code).toBe('app.internal');
    expect(error.message).toBe('internal error');
    expect(error.cause).toBeInstanceOf(TypeError);
  });

  it('leaves an invalid status to the pipeline', () => {
    expect(() => canonicalizeResponse(json(99, 1), 'GET')).toThrow('internal error');
  });
});

describe('noContent, created and redirect', () => {
  it('noContent is 204 without headers and body', () => {
    const response = noContent();
    expect([response.status, Object.keys(response.headers), response.content.length]).toEqual([204, [], 0]);
  });

  it('created is 201 with JSON, and location when it is given', () => {
    const response = created({ id: 7 }, '/notes/7');
    expect([response.status, response.content]).toEqual([201, '{"id":7}']);
    expect(plain(response.headers)).toEqual({
      'content-type': ['application/json; charset=utf-8'],
      location: ['/notes/7'],
    });
    expect(Object.keys(created(1).headers)).toEqual(['content-type']);
  });

  it.each([
    [undefined, 302],
    [301, 301],
    [303, 303],
    [307, 307],
    [308, 308],
  ] as const)('redirect with status %s answers %s', (status, expected) => {
    const response = status === undefined ? redirect('/a?b=1#c') : redirect('/a?b=1#c', status);
    expect(response.status).toBe(expected);
    expect(plain(response.headers)).toEqual({ location: ['/a?b=1#c'] });
    expect(response.content.length).toBe(0);
  });

  it.each([
    ['/a b', '/a%20b'],
    ['/ü?q=€', '/%C3%BC?q=%E2%82%AC'],
    ['/😀', '/%F0%9F%98%80'],
    ['/\ud800', '/%EF%BF%BD'],
    ['/100%25', '/100%25'],
    ['https://example.com/%2F', 'https://example.com/%2F'],
  ])('encodes only characters that a URI cannot contain: %s', (target, location) => {
    expect(redirect(target).headers.location).toEqual([location]);
  });

  it.each(['/a\r\nset-cookie: x=1', '/a\n', '/a\r', '/a\0', '/a\t', '/a\x7f'])('rejects the target %j', (target) => {
    expect(thrown(() => redirect(target)).code).toBe('app.internal');
    expect(thrown(() => created(1, target)).code).toBe('app.internal');
  });

  it.each([200, 300, 304, 306, 400, 302.5])('rejects status %s for a redirect', (status) => {
    expect(thrown(() => redirect('/a', status as 302)).code).toBe('app.internal');
  });
});

describe('htmlStream', () => {
  it('sends text as UTF-8 and bytes unchanged, skipping empty pieces', async () => {
    async function* chunks() {
      yield '<p>';
      yield '';
      yield new TextEncoder().encode('ü');
      yield '</p>';
    }
    const response = htmlStream(200, chunks());
    expect(plain(response.headers)).toEqual({ 'content-type': ['text/html; charset=utf-8'] });
    expect(await collect(response.bodyStream)).toEqual(['<p>', 'ü', '</p>']);
  });

  it('sends a string as one piece', async () => {
    expect(await collect(htmlStream(200, 'abc').bodyStream)).toEqual(['abc']);
  });

  it('keeps a character whole whose surrogates are in two pieces', async () => {
    expect(await collect(htmlStream(200, ['a\ud83d', '\ude00b']).bodyStream)).toEqual(['a', '😀b']);
    expect(await collect(htmlStream(200, ['a\ud83d']).bodyStream)).toEqual(['a', '\ufffd']);
    expect(await collect(htmlStream(200, ['\ud83d', Uint8Array.of(65)]).bodyStream)).toEqual(['\ufffdA']);
  });

  it('reads no further than it is called to, and ends its source when it is left', async () => {
    const seen: string[] = [];
    function* chunks() {
      try {
        for (const name of ['a', 'b', 'c']) {
          seen.push(name);
          yield name;
        }
      } finally {
        seen.push('closed');
      }
    }
    for await (const _ of htmlStream(200, chunks()).bodyStream as AsyncIterable<Uint8Array>) break;
    expect(seen).toEqual(['a', 'closed']);
  });

  it('ends a source that was never read', async () => {
    let closed = false;
    const source = {
      next: async () => ({ done: true as const, value: undefined }),
      return: async () => {
        closed = true;
        return { done: true as const, value: undefined };
      },
      [Symbol.asyncIterator]() {
        return this;
      },
    };
    await closeStream(htmlStream(200, source).bodyStream ?? []);
    expect(closed).toBe(true);
  });

  it('does not wait for a source that never yields when the reader leaves', async () => {
    async function* stuck(): AsyncGenerator<string> {
      yield 'a';
      await new Promise(() => {});
    }
    const iterator = (htmlStream(200, stuck()).bodyStream as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
    await iterator.next();
    void iterator.next();
    expect(await iterator.return?.()).toEqual({ done: true, value: undefined });
  });

  it('passes the error of its source on', async () => {
    async function* failing(): AsyncGenerator<string> {
      yield 'a';
      throw new Error('gone');
    }
    await expect(collect(htmlStream(200, failing()).bodyStream)).rejects.toThrow('gone');
  });

  it('fails at a chunk that is neither text nor bytes, and ends the source', async () => {
    let closed = false;
    function* chunks() {
      try {
        yield 5 as unknown as string;
      } finally {
        closed = true;
      }
    }
    await expect(collect(htmlStream(200, chunks()).bodyStream)).rejects.toThrow('internal error');
    expect(closed).toBe(true);
  });
});

describe('safeJsonForHtml', () => {
  it('escapes what could end a script element or a line', () => {
    expect(safeJsonForHtml({ a: '</script>&<!--', '\u2028': '\u2029' })).toBe(
      '{"a":"\\u003c/script\\u003e\\u0026\\u003c!--","\\u2028":"\\u2029"}',
    );
    expect(safeJsonForHtml(undefined)).toBe('null');
  });

  it('parses to the same value', () => {
    expect(JSON.parse(safeJsonForHtml({ a: '<\u2028&' }))).toEqual({ a: '<\u2028&' });
  });

  it('throws for a value that is not JSON', () => {
    expect(thrown(() => safeJsonForHtml(1n)).code).toBe('app.internal');
  });
});
