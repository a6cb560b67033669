import fc from 'fast-check';
import { parsePattern, segmentsOf, withTrailingSlash } from '../src/routing/internal/pattern.js';

describe('parsePattern', () => {
  it.each([
    ['/users', '/users'],
    ['users', '/users'],
    [' /users/{ id } ', '/users/{id}'],
    ['/users/:id', '/users/{id}'],
    ['/files/:path+', '/files/{path+}'],
    ['/files/{path+}', '/files/{path+}'],
    ['/users?x=1', '/users'],
    ['/', '/'],
    ['', '/'],
  ])('writes %j as %j', (pattern, canonical) => {
    expect(parsePattern(pattern).canonical).toBe(canonical);
  });

  it.each([
    '//',
    '/a//b',
    '/a/',
    '/{}',
    '/{+}',
    '/{a}{b}',
    '/a{b}',
    '/{a',
    '/a}',
    '/{a}/{a}',
    '/{a}/b/:a',
    '/{a+}/b',
    '/:',
    '/{a b}',
    '/a/{id\u00a0b}',
    '/a/{id\u2003}b',
  ])('rejects %j', (pattern) => {
    expect(() => parsePattern(pattern)).toThrow(expect.failure('app.bad_request', 'invalid route pattern'));
  });

  const OPTIONAL = 'nothing is optional: register both paths';
  const WHOLE = 'a parameter is a whole segment of any text: use {name}';
  const REST = 'use {rest+} for the rest of a path';

  /** Spellings of other routers: the router, the spelling, and the equivalent pattern or a hint if no pattern is equivalent. */
  it.each<[string, string, { readonly is: string } | { readonly hint: string }]>([
    ['Hono', '/a/:x', { is: '/a/{x}' }],
    ['Hono', '/a/:x?', { hint: OPTIONAL }],
    ['Hono', '/a/:x?/b', { hint: OPTIONAL }],
    ['Hono', '/a/:x{[0-9]+}', { hint: WHOLE }],
    ['Hono', '/a/:x{.+\\.png}', { hint: WHOLE }],
    ['Hono', '/a/:from-:to', { hint: WHOLE }],
    ['Hono', '/a/*', { hint: REST }],
    ['Hono', '/a/*/b', { hint: REST }],
    ['Express 4', '/a/:x+', { is: '/a/{x+}' }],
    ['Express 4', '/a/:x*', { hint: REST }],
    ['Express 4', '/a/:x(\\d+)', { hint: WHOLE }],
    ['Express 4', '/a/:x(\\d)', { hint: WHOLE }],
    ['Express 4', '/a/:x.json', { hint: WHOLE }],
    ['Express 4', '/a/:x.:format', { hint: WHOLE }],
    ['Express 4', '/a/:from-to', { hint: WHOLE }],
    ['Express 4', '/colou?r', { hint: OPTIONAL }],
    ['Express 5', '/a/*rest', { hint: REST }],
    ['Express 5', '/a/{*rest}', { hint: REST }],
    ['Express 5', '/a{/:x}', { hint: 'framework: invalid route pattern' }],
    ['Powertools for TypeScript', '/a/:x', { is: '/a/{x}' }],
    ['Powertools for Python', '/a/<x>', { hint: WHOLE }],
    ['Powertools for Python', '/a/.+', { is: '/a/.+' }],
    ['Middy and API Gateway', '/a/{x}', { is: '/a/{x}' }],
    ['Middy and API Gateway', '/a/{proxy+}', { is: '/a/{proxy+}' }],
    ['routers by file', '/a/[x]', { hint: WHOLE }],
    ['routers by file', '/a/[...x]', { hint: WHOLE }],
    ['h3', '/a/**', { hint: REST }],
    ['Fastify', '/a/:x?', { hint: OPTIONAL }],
    ['Fastify', '/a/:x(^\\d+)', { hint: WHOLE }],
    ['FastAPI', '/a/{x:path}', { hint: WHOLE }],
    ['ours', '/a/{x}.json', { hint: WHOLE }],
    ['ours', '/a/{x.y}', { hint: WHOLE }],
    ['ours', '/a/{x?}', { hint: OPTIONAL }],
    ['ours', '/a/{order-id}', { is: '/a/{order-id}' }],
    ['ours', '/a/{größe}', { is: '/a/{größe}' }],
    ['ours', '/a/v1.2/x', { is: '/a/v1.2/x' }],
    ['ours', '/a?x=1&y', { is: '/a' }],
    ['ours', '/a?', { hint: OPTIONAL }],
  ])('%s: %s', (_router, pattern, expected) => {
    const found = (() => {
      try {
        return { is: parsePattern(pattern).canonical };
      } catch (error) {
        return { hint: (error as Error).message.replace('framework: invalid route pattern: ', '') };
      }
    })();
    expect(found).toEqual(expected);
  });

  it.each(['*', '/*', '/files/*', '/files/**', '/a*/b', '/{path*}', '/files/{ path* }', '/:path*', '/{*}'])(
    'rejects the wildcard %j and names the replacement',
    (pattern) => {
      expect(() => parsePattern(pattern)).toThrow(
        expect.failure('app.bad_request', 'invalid route pattern: use {rest+} for the rest of a path'),
      );
    },
  );

  it.each(['/a b', '/a / b', '/a\tb', '/a\u00a0b/{id}', '/a\n/b', '/users ?x=1', '/a/ /b'])(
    'rejects white space in a static segment: %j',
    (pattern) => {
      expect(() => parsePattern(pattern)).toThrow(
        expect.failure('app.bad_request', 'invalid route pattern: percent-encode white space'),
      );
    },
  );

  it('accepts a percent-encoded blank in a static segment', () => {
    expect(parsePattern('/a%20b').canonical).toBe('/a%20b');
  });

  it('rejects a value that is not a string', () => {
    expect(() => parsePattern(undefined as never)).toThrow(expect.failure('app.bad_request', 'invalid route pattern'));
  });

  it.each<[string, string, string[], string[]]>([
    ['/', '/', [], []],
    ['/users', '/users', ['users'], []],
    ['/users/:id', '/users/{}', ['users', '{}'], ['id']],
    ['/{team}/files/{größe}/{path+}', '/{}/files/{}/{+}', ['{}', 'files', '{}', '{+}'], ['team', 'größe', 'path']],
    ['/:all+', '/{+}', ['{+}'], ['all']],
  ])('finds shape, segments and names of %j', (pattern, shape, segments, paramNames) => {
    const parsed = parsePattern(pattern);
    expect([parsed.shape, segmentsOf(parsed), parsed.paramNames]).toEqual([shape, segments, paramNames]);
  });

  it('adds the slash at the end to every form', () => {
    expect(withTrailingSlash(parsePattern('/a/{id}'))).toEqual({
      canonical: '/a/{id}/',
      shape: '/a/{}/',
      paramNames: ['id'],
    });
  });

  it('reads a canonical pattern as it reads any other spelling of it', () => {
    const part = fc.constantFrom(
      '/',
      'a',
      'B9',
      '%20',
      '.',
      '~',
      '-',
      '_',
      '{',
      '}',
      '{id}',
      '{x}',
      '{r+}',
      ':id',
      '+',
      '*',
      '?',
      '[a]',
      'ü',
      '$',
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 9 }), (parts) => {
        const pattern = `/${parts.join('')}`;
        // The blank keeps the expression for canonical patterns from matching.
        expect(outcomeOf(pattern)).toEqual(outcomeOf(` ${pattern}`));
      }),
      { numRuns: 3000 },
    );
  });
});

function outcomeOf(pattern: string): unknown {
  try {
    return parsePattern(pattern);
  } catch (error) {
    return (error as Error).message;
  }
}
