import { type CookieOptions, json, setCookie, vary } from '../src/index.js';

const cookieOf = (name: string, value: string, options?: CookieOptions) =>
  setCookie(json(200, 1), name, value, options).cookies;

describe('setCookie', () => {
  it.each<[string, [string, string, CookieOptions?], string]>([
    ['is safe by default', ['a', '1'], 'a=1; Path=/; Secure; HttpOnly; SameSite=Lax'],
    ['takes an empty value', ['a', ''], 'a=; Path=/; Secure; HttpOnly; SameSite=Lax'],
    ['takes a quoted value', ['a', '"b"'], 'a="b"; Path=/; Secure; HttpOnly; SameSite=Lax'],
    [
      'writes every attribute',
      [
        'sid',
        'x%20y',
        {
          maxAge: 60,
          expires: new Date(0),
          domain: 'app.example',
          path: '/a b',
          sameSite: 'none',
          partitioned: true,
        },
      ],
      'sid=x%20y; Max-Age=60; Expires=Thu, 01 Jan 1970 00:00:00 GMT; Domain=app.example; Path=/a b; Secure; HttpOnly; SameSite=None; Partitioned',
    ],
    [
      'leaves out what is switched off',
      ['a', '1', { secure: false, httpOnly: false, sameSite: 'strict' }],
      'a=1; Path=/; SameSite=Strict',
    ],
    ['removes with an age of 0', ['a', '', { maxAge: 0 }], 'a=; Max-Age=0; Path=/; Secure; HttpOnly; SameSite=Lax'],
    ['takes __Host-', ['__Host-a', '1'], '__Host-a=1; Path=/; Secure; HttpOnly; SameSite=Lax'],
    [
      'takes __Secure- with a domain',
      ['__Secure-a', '1', { domain: 'a.example', path: '/x' }],
      '__Secure-a=1; Domain=a.example; Path=/x; Secure; HttpOnly; SameSite=Lax',
    ],
  ])('%s', (_, [name, value, options], expected) => {
    expect(cookieOf(name, value, options)).toEqual([expected]);
  });

  it('returns the given answer, with cookies in their order', () => {
    const answer = json(200, 1);
    expect(setCookie(setCookie(answer, 'a', '1'), 'b', '2')).toBe(answer);
    expect(answer.cookies.map((cookie) => cookie.slice(0, 3))).toEqual(['a=1', 'b=2']);
    expect(vary(setCookie({ status: 204 }, 'a', '1'), 'cookie')).toMatchObject({ status: 204 });
  });

  it.each<[string, [string, string, CookieOptions?], string]>([
    ['an empty name', ['', '1'], 'token'],
    ['a name with a blank', ['a b', '1'], 'token'],
    ['a name with =', ['a=b', '1'], 'token'],
    ['a name with ;', ['a;b', '1'], 'token'],
    ['a name outside ASCII', ['ä', '1'], 'token'],
    ['a value with ;', ['a', '1; Domain=evil.example'], 'encode it first'],
    ['a value with ,', ['a', '1,2'], 'encode it first'],
    ['a value with a blank', ['a', '1 2'], 'encode it first'],
    ['a value with CR LF', ['a', '1\r\nx: y'], 'encode it first'],
    ['a value with LF at the end', ['a', '1\n'], 'encode it first'],
    ['a value with a backslash', ['a', '\\'], 'encode it first'],
    ['a value with one quote', ['a', '"b'], 'encode it first'],
    ['a value outside ASCII', ['a', 'é'], 'encode it first'],
    ['what browsers cut', ['a', 'x'.repeat(4096)], '4096 bytes'],
    ['__Host- without secure', ['__Host-a', '1', { secure: false }], 'needs secure'],
    ['__Host- with a path', ['__Host-a', '1', { path: '/x' }], 'path / and no domain'],
    ['__Host- with a domain', ['__HOST-a', '1', { domain: 'a.example' }], 'path / and no domain'],
    ['__Secure- without secure', ['__secure-a', '1', { secure: false }], 'needs secure'],
    ['SameSite=None without secure', ['a', '1', { sameSite: 'none', secure: false }], 'needs secure'],
    ['partitioned without secure', ['a', '1', { partitioned: true, secure: false }], 'needs secure'],
  ])('rejects %s', (_, [name, value, options], text) => {
    expect(() => cookieOf(name, value, options)).toThrow(
      expect.objectContaining({
        code: 'app.internal',
        cause: expect.objectContaining({ message: expect.stringContaining(text) }),
      }),
    );
  });

  it.each<[string, object]>([
    ['an unknown attribute', { maxage: 1 }],
    ['a path that injects an attribute', { path: '/; Domain=evil.example' }],
    ['a path without a slash', { path: 'x' }],
    ['a path with LF at the end', { path: '/\n' }],
    ['a domain that injects an attribute', { domain: 'a.example; Secure' }],
    ['an age below 0', { maxAge: -1 }],
    ['an age that is no whole number', { maxAge: 1.5 }],
    ['a date that is none', { expires: new Date(Number.NaN) }],
    ['another site rule', { sameSite: 'Lax' }],
  ])('rejects %s', (_, options) => {
    expect(() => cookieOf('a', '1', options)).toThrow(expect.objectContaining({ code: 'app.invalid_configuration' }));
  });
});
