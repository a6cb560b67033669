import fc from 'fast-check';
import { encodeSafeValue, sanitizeLogString, scrubFreeText } from '../src/observability.js';
import { scrubWords } from '../src/sanitize/internal/light.js';

const JWT = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl';

describe('scrubFreeText', () => {
  it.each([
    ['', ''],
    ['nothing to see at 12:34:56', 'nothing to see at 12:34:56'],
    ['2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z'],
    ['https://example.com:8080/a?b=c', 'https://example.com:8080/a?b=c'],
    [`token ${JWT} here`, 'token [REDACTED] here'],
    [`x${JWT}`, 'x[REDACTED]'],
    ['eyJhbGciOiJIUzI1NiJ9 alone', 'eyJhbGciOiJIUzI1NiJ9 alone'],
    ['Authorization: Bearer abc.def rest', 'Authorization: [REDACTED]'],
    ['sent bearer   abc, then', 'sent bearer   [REDACTED], then'],
    ['Basic dXNlcjpwYXNz failed', 'Basic [REDACTED] failed'],
    ['password=hunter2 user=bob', 'password=[REDACTED] user=bob'],
    ['password=a,b;user=bob', 'password=[REDACTED];user=bob'],
    ['password=abc,user=bob', 'password=[REDACTED],user=bob'],
    ['password=\\abc x', 'password=[REDACTED] x'],
    ['password=(abc) x', 'password=[REDACTED]) x'],
    ['Password : "two words" x', 'Password : "[REDACTED]" x'],
    ['{"password":"hu\\"nter2","a":1}', '{"password":"[REDACTED]","a":1}'],
    ['{\\"password\\":\\"x y\\",\\"a\\":1}', '{\\"password\\":\\"[REDACTED]\\",\\"a\\":1}'],
    ['{"credentials":{"user":"a","list":["b"]},"c":1}', '{"credentials":[REDACTED],"c":1}'],
    ['password="never closed', 'password="[REDACTED]'],
    ['secret:\n  hunter2', 'secret:\n  [REDACTED]'],
    ['my api key: abc', 'my api key: [REDACTED]'],
    ['cookie: a=b; c=d\nnext line', 'cookie: [REDACTED]\nnext line'],
    ['Cookie: a="b"; session="c" x', 'Cookie: [REDACTED]'],
    ['x_token=1&y=2', 'x_token=[REDACTED]&y=2'],
    ['password%3Dabc x', 'password%3D[REDACTED] x'],
    ['max_tokens=5, max_tokens=five', 'max_tokens=5, max_tokens=[REDACTED]'],
    ['token_type=bearer&expires_in=1', 'token_type=bearer&expires_in=1'],
    ['card_number: 4111 1111 1111 1111 x', 'card_number: 411111******1111 x'],
    ['ssn=123456789', 'ssn=*****6789'],
    ['number=12345 number=123456789012', 'number=12345 number=********9012'],
    ['https://user:pw@example.com/a', 'https://[REDACTED]@example.com/a'],
    ['https://user:p@w@example.com/a', 'https://[REDACTED]@example.com/a'],
    [
      'https://b.s3.amazonaws.com/k?X-Amz-Credential=AK&X-Amz-Signature=ab&X-Amz-Date=1',
      'https://b.s3.amazonaws.com/k?X-Amz-Credential=[REDACTED]&X-Amz-Signature=[REDACTED]&X-Amz-Date=1',
    ],
    ['?x-amz-security-token=abc&z=1', '?x-amz-security-token=[REDACTED]&z=1'],
    ['key AKIAIOSFODNN7EXAMPLE used', 'key [REDACTED] used'],
    ['ASIAIOSFODNN7EXAMPLE', '[REDACTED]'],
    ['mail alice.b+c@mail.example.com!', 'mail [REDACTED]!'],
    ['email=alice%40example.com', 'email=[REDACTED]'],
    ['@alice and a@b', '@alice and a@b'],
    ['foo@1.2.3', 'foo@1.2.3'],
    ['ssn 123-45-6789.', 'ssn *****6789.'],
    ['1123-45-6789', '1123-45-6789'],
    ['paid with 4111111111111111.', 'paid with 411111******1111.'],
    ['4111 1111 1111 1111 12/26', '411111******1111 12/26'],
    ['4111-1111-1111-1111 2026', '411111******1111 2026'],
    ['order 7 4111 1111 1111 1111', 'order 7 411111******1111'],
    ['4111111111111112 fails the check', '4111111111111112 fails the check'],
    ['550e8400-e29b-41d4-a716-446655440000', '550e8400-e29b-41d4-a716-446655440000'],
    ['card4111111111111111x', 'card411111******1111x'],
    ['0.4111111111111111', '0.4111111111111111'],
    ['-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY----- after', '[REDACTED] after'],
    ['-----BEGIN PRIVATE KEY-----\nMIIE', '[REDACTED]'],
    [
      '-----BEGIN CERTIFICATE-----\nMIIE\n-----END CERTIFICATE-----',
      '-----BEGIN CERTIFICATE-----\nMIIE\n-----END CERTIFICATE-----',
    ],
  ])('writes %j as %j', (text, expected) => {
    expect(scrubFreeText(text)).toBe(expected);
  });

  it('hides a planted secret in any surrounding text', () => {
    const noise = fc
      .array(
        fc.constantFrom(
          'a',
          'pin',
          '=',
          ':',
          ' ',
          '"',
          '{',
          '}',
          '[',
          ']',
          "'",
          '\\',
          ',',
          '&',
          '\n',
          '://',
          '@',
          'api key',
          '%3D',
          '9',
        ),
        { maxLength: 12 },
      )
      .map((parts) => parts.join(''));
    const planted = fc.constantFrom(
      'password=hunter2secret',
      'password: hunter2secret',
      '"api_key":"hunter2secret"',
      '\\"token\\" : \\"hunter2secret\\"',
      'Bearer hunter2secret',
      'hunter2secret@example.com',
      'https://user:hunter2secret@example.com/',
    );
    fc.assert(
      fc.property(noise, fc.constantFrom(' ', '\n', '{', '&', ', '), planted, noise, (before, gap, secret, after) => {
        expect(scrubFreeText(`${before}${gap}${secret} ${after}`)).not.toContain('hunter2secret');
      }),
      { numRuns: 2000 },
    );
  });

  it('reads 64 KiB and reports the omitted length; a secret across the cut is hidden', () => {
    expect(scrubFreeText('a'.repeat(70_000))).toBe(`${'a'.repeat(65_536)}…[+4464]`);
    const text = `${'a '.repeat(32_760)}alice@example.com ${'b'.repeat(10)}`;
    expect(scrubFreeText(text)).not.toContain('alice');
  });

  it.each([
    ['eyJ'],
    ['a@'],
    ['%40'],
    ['4111 '],
    ['1-'],
    ['PRIVATE KEY-----'],
    ['-----BEGIN '],
    ['://'],
    ['password='],
    ['password={'],
    ['password="'],
    ['password=\\'],
    ['bearer '],
    ['pin=a,'],
    ['token= '],
    ['a.'],
    [`${'a'.repeat(127)}=`],
    ['.a@'],
    ['{"'],
  ])('ends on 1 MiB of %j', (unit) => {
    const text = unit.repeat(Math.ceil(2 ** 20 / unit.length));
    expect(scrubFreeText(text).length).toBeLessThan(500_000);
  });
});

describe('sanitizeLogString', () => {
  it('removes only characters that could start, hide or reorder a line', () => {
    const removed: number[] = [];
    for (let code = 0; code <= 0xffff; code += 1) {
      if (code >= 0xd800 && code <= 0xdfff) continue;
      if (sanitizeLogString(String.fromCharCode(code)) === '') removed.push(code);
    }
    const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);
    expect(removed).toEqual([
      ...range(0, 0x1f),
      ...range(0x7f, 0x9f),
      0x200e,
      0x200f,
      ...range(0x2028, 0x202e),
      ...range(0x2066, 0x2069),
      0xfeff,
    ]);
  });

  it('replaces a lone surrogate and keeps a pair', () => {
    expect(sanitizeLogString('\ud83d\ude00 \ud83d \ude00')).toBe('\ud83d\ude00 \ufffd \ufffd');
  });
});

describe('encodeSafeValue', () => {
  it.each([
    ['plain-value_1.2/é', 'plain-value_1.2/é'],
    ['a b=c%', 'a%20b%3Dc%25'],
    ['a\nb\tc\u00a0', 'a%0Ab%09c%C2%A0'],
    ['\u2028\u202e\ufeff\u0085', '%E2%80%A8%E2%80%AE%EF%BB%BF%C2%85'],
    ['\ud800', '%EF%BF%BD'],
    ['', ''],
  ])('writes %j as %j', (text, expected) => {
    expect(encodeSafeValue(text)).toBe(expected);
  });
});

describe('scrubWords', () => {
  it.each([
    ['/users/42', '/users/42'],
    ['/users/550e8400-e29b-41d4-a716-446655440000', '/users/550e8400-e29b-41d4-a716-446655440000'],
    ['/users/alice@example.com/x', '/users/[REDACTED]/x'],
    ['/users/alice%40example.com', '/users/[REDACTED]'],
    ['/users/alice%2540example.com', '/users/alice%2540example.com'],
    [`/reset/${JWT}`, '/reset/[REDACTED]'],
    ['/cards/4111111111111111', '/cards/[REDACTED]'],
    ['/cards/4111%201111%201111%201111', '/cards/[REDACTED]'],
    ['/k/AKIAIOSFODNN7EXAMPLE', '/k/[REDACTED]'],
    ['/m;token=abc;x=1', '/m;[REDACTED];x=1'],
    ['/s/123-45-6789', '/s/[REDACTED]'],
    ['/a\r\nb\u2028', '/ab'],
    [`/${'a'.repeat(2000)}`, `/${'a'.repeat(1023)}`],
  ])('writes the path %j as %j', (path, expected) => {
    expect(scrubWords(path, 1024)).toBe(expected);
  });
});
