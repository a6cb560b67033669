import { bySourceIp, RateLimitError } from '@sallyport/ratelimit';
import { createContext, fromIp } from './support/context.js';

describe('callers by source address', () => {
  it.each([
    ['192.0.2.1', 'ip:192.0.2.1'],
    ['2001:DB8:1:2:3:4:5:6', 'ip:2001:db8:1:2::'],
    ['2001:db8::1', 'ip:2001:db8::'],
    ['::1', 'ip:::'],
    ['fe80:0:0:1::', 'ip:fe80:0:0:1::'],
    ['::ffff:192.0.2.1', 'ip:192.0.2.1'],
    ['::ffff:c000:201', 'ip:192.0.2.1'],
  ])('%s is %s', (address, identifier) => {
    expect(bySourceIp()(createContext({ provenance: fromIp(address) }))).toBe(identifier);
  });

  it.each([
    [128, 'ip:2001:db8:1:2:3:4:5:6'],
    [56, 'ip:2001:db8:1::'],
    [48, 'ip:2001:db8:1::'],
    [47, 'ip:2001:db8::'],
    [33, 'ip:2001:db8::'],
    [1, 'ip:::'],
  ])('a prefix of %i bits cuts to %s', (ipv6Prefix, identifier) => {
    const ctx = createContext({ provenance: fromIp('2001:db8:1:2:3:4:5:6') });
    expect(bySourceIp({ ipv6Prefix })(ctx)).toBe(identifier);
  });

  it('an unverified source is unknown, with any forwarding headers', () => {
    const ctx = createContext({ headers: { 'x-forwarded-for': '192.0.2.9', forwarded: 'for=192.0.2.9' } });
    expect(bySourceIp()(ctx)).toBe('ip:unknown');
  });

  it.each([[{ ipv6Prefix: 0 }], [{ ipv6Prefix: 129 }], [{ ipv6Prefix: 1.5 }], [{ prefix: 64 }]])(
    'rejects %j',
    (options) => {
      expect(() => bySourceIp(options as object)).toThrow(RateLimitError);
    },
  );
});
