import { parsePattern } from '../src/routing/internal/pattern.js';

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
  ])('refuses %j', (pattern) => {
    expect(() => parsePattern(pattern)).toThrow(
      expect.objectContaining({ code: 'app.bad_request', message: 'framework: invalid route pattern' }),
    );
  });

  it.each(['*', '/*', '/files/*', '/files/**', '/a*/b', '/{path*}', '/files/{ path* }', '/:path*', '/{*}'])(
    'refuses the wildcard %j and says what to write',
    (pattern) => {
      expect(() => parsePattern(pattern)).toThrow(
        expect.objectContaining({
          code: 'app.bad_request',
          message: 'framework: invalid route pattern: use {rest+} for the rest of a path',
        }),
      );
    },
  );

  it.each(['/a b', '/a / b', '/a\tb', '/a\u00a0b/{id}', '/a\n/b', '/users ?x=1', '/a/ /b'])(
    'refuses white space in a static segment: %j',
    (pattern) => {
      expect(() => parsePattern(pattern)).toThrow(
        expect.objectContaining({
          code: 'app.bad_request',
          message: 'framework: invalid route pattern: percent-encode white space',
        }),
      );
    },
  );

  it('takes a percent-encoded blank in a static segment', () => {
    expect(parsePattern('/a%20b').canonical).toBe('/a%20b');
  });

  it('rejects a value that is not a string', () => {
    expect(() => parsePattern(undefined as never)).toThrow('framework: invalid route pattern');
  });
});
