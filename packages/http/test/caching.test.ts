import { OutgoingResponse } from '@sallyport/core/internal';
import {
  cacheControl,
  cacheControlIsr,
  cacheControlSsg,
  cacheControlSsr,
  conditional,
  etag,
  matchesIfNoneMatch,
  vary,
} from '../src/responses/caching.js';
import { binary, html, htmlStream, json, noContent } from '../src/responses/responses.js';
import { contextOf } from './support/context.js';

const HELLO = '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824';

describe('cacheControl', () => {
  it.each([
    [{}, ''],
    [{ visibility: 'public', maxAge: 60 }, 'public, max-age=60'],
    [{ noStore: true, visibility: 'private' }, 'private, no-store'],
    [{ noCache: true, mustRevalidate: false }, 'no-cache'],
    [
      {
        noTransform: true,
        immutable: true,
        proxyRevalidate: true,
        mustRevalidate: true,
        staleIfError: 4,
        staleWhileRevalidate: 3,
        sMaxAge: 2,
        maxAge: 0,
      },
      'max-age=0, s-maxage=2, stale-while-revalidate=3, stale-if-error=4, must-revalidate, proxy-revalidate, immutable, no-transform',
    ],
  ] as const)('%j is %j', (options, value) => {
    expect(cacheControl(options)).toBe(value);
  });

  it('has presets', () => {
    expect(cacheControlSsr()).toBe('private, no-store');
    expect(cacheControlSsg()).toBe('public, max-age=0, s-maxage=31536000');
    expect(cacheControlIsr(60)).toBe('public, max-age=0, s-maxage=60');
    expect(cacheControlIsr(60, 30)).toBe('public, max-age=0, s-maxage=60, stale-while-revalidate=30');
  });

  it.each([
    [{ maxage: 1 }, 'unknown option "maxage"'],
    [{ maxAge: -1 }, 'option "maxAge"'],
    [{ sMaxAge: 1.5 }, 'option "sMaxAge"'],
    [{ maxAge: '60, public' }, 'option "maxAge"'],
    [{ noStore: 'yes' }, 'option "noStore"'],
    [{ visibility: 'both' }, 'option "visibility"'],
  ])('rejects %j', (options, message) => {
    expect(() => cacheControl(options as object)).toThrow(expect.failure('app.invalid_configuration', message));
  });

  it('rejects an invalid ISR time', () => {
    expect(() => cacheControlIsr(Number.NaN)).toThrow(expect.failure('app.invalid_configuration', 'option "sMaxAge"'));
  });
});

describe('etag', () => {
  it('is the quoted SHA-256 of text or bytes', () => {
    expect(etag('hello')).toBe(`"${HELLO}"`);
    expect(etag(Buffer.from('hello'))).toBe(`"${HELLO}"`);
    expect(etag('hello', { weak: true })).toBe(`W/"${HELLO}"`);
  });

  it('rejects an unknown option', () => {
    expect(() => etag('', { week: true } as object)).toThrow(
      expect.failure('app.invalid_configuration', 'unknown option "week"'),
    );
  });
});

describe('matchesIfNoneMatch', () => {
  it.each([
    ['"a"', '"a"', true],
    ['W/"a"', '"a"', true],
    ['"a"', 'W/"a"', true],
    ['"b", W/"a" ,"c"', '"a"', true],
    ['"x,y", "a"', '"a"', true],
    ['"x,y"', '"y"', false],
    [',, "a"', '"a"', true],
    ['*', '"a"', true],
    [' * ', '"a"', true],
    ['*', '', false],
    ['"*"', '"a"', false],
    ['"b"', '"a"', false],
    ['a', '"a"', false],
    ['w/"a"', '"a"', false],
    ['', '"a"', false],
    ['"a', '"a"', false],
    ['"a""b"', '"b"', false],
  ])('%j against %j is %s', (header, tag, matches) => {
    expect(matchesIfNoneMatch(header, tag)).toBe(matches);
  });
});

describe('conditional', () => {
  const withTag = (value: string) => contextOf({ method: 'GET', headers: { 'if-none-match': value } });

  it('tags a 200 to a GET that has no tag', () => {
    const response = conditional(contextOf(), html(200, 'hello'));
    expect([response.status, response.headers.etag, response.content]).toEqual([200, [`"${HELLO}"`], 'hello']);
  });

  it.each(['GET', 'HEAD'])('answers 304 to a %s that names the tag', (method) => {
    const ctx = contextOf({ method, headers: { 'if-none-match': ['"x"', `W/"${HELLO}"`] } });
    const response = html(200, 'hello');
    response.headers['cache-control'] = ['no-cache'];
    response.headers['content-location'] = ['/a'];
    response.headers['content-language'] = ['en'];
    response.cookies.push('a=1');
    const answer = conditional(ctx, response);
    expect(answer.status).toBe(304);
    expect({ ...answer.headers }).toEqual({
      'cache-control': ['no-cache'],
      'content-location': ['/a'],
      etag: [`"${HELLO}"`],
    });
    expect(answer.content.length).toBe(0);
    expect(answer.cookies).toEqual(['a=1']);
  });

  it("honours the handler's own tag", () => {
    const answer = conditional(withTag('"v1"'), { status: 200, headers: { ETag: '"v1"' }, body: 'x' });
    expect(answer.status).toBe(304);
  });

  it('tags bytes by their bytes', () => {
    expect(conditional(withTag(`"${HELLO}"`), binary(200, Buffer.from('hello'))).status).toBe(304);
  });

  it.each([
    ['POST', () => html(200, 'hello'), 200],
    ['GET', () => html(404, 'hello'), 404],
    ['GET', () => noContent(), 204],
  ])('leaves a %s with another status or method alone', (method, make, status) => {
    const answer = conditional(contextOf({ method, headers: { 'if-none-match': '*' } }), make());
    expect([answer.status, answer.headers.etag]).toEqual([status, undefined]);
  });

  it('does not change a stream without a tag and closes a stream that the client has', async () => {
    let closed = 0;
    const stream = () => ({
      [Symbol.asyncIterator]: () => ({
        next: async () => ({ done: true as const, value: undefined }),
        return: async () => {
          closed += 1;
          return { done: true as const, value: undefined };
        },
      }),
    });
    const untagged = conditional(withTag('*'), htmlStream(200, stream()));
    expect([untagged.status, untagged.headers.etag]).toEqual([200, undefined]);
    const tagged = htmlStream(200, stream());
    tagged.headers.etag = ['"v1"'];
    expect(conditional(withTag('"v1"'), tagged).status).toBe(304);
    await Promise.resolve();
    expect(closed).toBe(1);
  });
});

describe('vary', () => {
  it('adds names once, sorted, in lower case', () => {
    const response = json(200, 1);
    response.headers.vary = ['Origin, Accept', 'x-b'];
    expect(vary(response, 'ACCEPT', 'X-A')).toBe(response);
    expect(response.headers.vary).toEqual(['accept, origin, x-a, x-b']);
  });

  it('accepts a plain answer and does not change it', () => {
    const plain = { status: 200, headers: { Vary: 'b' } };
    expect(vary(plain, 'a').headers.vary).toEqual(['a, b']);
    expect(plain).toEqual({ status: 200, headers: { Vary: 'b' } });
  });

  it('keeps * alone', () => {
    expect(vary(json(200, 1), '*', 'a').headers.vary).toEqual(['*']);
  });

  it.each(['a\r\nb', 'a b', '', 'ä'])('rejects the name %j', (name) => {
    expect(() => vary(new OutgoingResponse(200, {}, ''), name)).toThrow('internal error');
  });
});
