import { createOriginCheck } from '../src/http/internal/origin.js';

const allowed = createOriginCheck([
  'https://claude.ai',
  'HTTPS://App.Example:8443',
  'http://plain.example:80',
  'vscode-webview://abc',
]);

describe('an origin', () => {
  it.each([
    ['listed', ['https://claude.ai'], ['api.example'], true],
    ['listed, with the default port', ['https://claude.ai:443'], ['api.example'], true],
    ['listed, in other case', ['HTTPS://CLAUDE.AI'], ['api.example'], true],
    ['listed with a port', ['https://app.example:8443'], ['api.example'], true],
    ['listed without its default port', ['http://plain.example'], ['api.example'], true],
    ['of another kind', ['vscode-webview://abc'], ['api.example'], true],
    ['on another port', ['https://claude.ai:444'], ['api.example'], false],
    ['of another scheme', ['http://claude.ai'], ['api.example'], false],
    ['without its port', ['https://app.example'], ['api.example'], false],
    ['that begins like a listed one', ['https://claude.ai.evil.example'], ['api.example'], false],
    ['with a user', ['https://claude.ai@evil.example'], ['api.example'], false],
    ['with a path', ['https://claude.ai/'], ['api.example'], false],
    ['null', ['null'], ['api.example'], false],
    ['null on loopback', ['null'], ['localhost'], false],
    ['empty', [''], ['localhost'], false],
    ['twice', ['https://claude.ai', 'https://claude.ai'], ['api.example'], false],
    ['equal to an evil host', ['http://evil.example'], ['evil.example'], false],
    ['loopback on loopback', ['http://localhost:6274'], ['localhost:3000'], true],
    ['loopback by address', ['http://127.0.0.1:6274'], ['127.0.0.1:3000'], true],
    ['loopback by IPv6 address', ['http://[::1]:6274'], ['[::1]:3000'], true],
    ['loopback under another host', ['http://localhost:6274'], ['evil.example'], false],
    ['loopback without a host', ['http://localhost'], [], false],
    ['loopback with two hosts', ['http://localhost'], ['localhost', 'evil.example'], false],
    ['that only looks like loopback', ['http://localhost.evil.example'], ['localhost'], false],
    ['that only looks like an address', ['http://127.0.0.1.evil.example'], ['localhost'], false],
    ['foreign on loopback', ['http://evil.example'], ['localhost'], false],
  ])('%s', (_, origins, hosts, passes) => {
    expect(allowed(origins, hosts)).toBe(passes);
  });

  it.each([['*'], ['https://*.example'], ['claude.ai'], ['null'], [''], [5 as never]])(
    '%p is not a valid entry',
    (entry) => {
      expect(() => createOriginCheck([entry])).toThrow(
        expect.failure('app.invalid_configuration', 'option "allowedOrigins"'),
      );
    },
  );
});
