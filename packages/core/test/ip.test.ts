import { isIP } from 'node:net';
import fc from 'fast-check';
import { canonicalIp } from '../src/request/provenance.js';

describe('canonicalIp', () => {
  it.each([
    ['203.0.113.9', '203.0.113.9'],
    [' 203.0.113.9 ', '203.0.113.9'],
    ['0.0.0.0', '0.0.0.0'],
    ['255.255.255.255', '255.255.255.255'],
    // RFC 5952, sections 4.1 to 4.3
    ['2001:0db8::0001', '2001:db8::1'],
    ['2001:db8:0:0:0:0:2:1', '2001:db8::2:1'],
    ['2001:db8:0:1:1:1:1:1', '2001:db8:0:1:1:1:1:1'],
    ['2001:0:0:1:0:0:0:1', '2001:0:0:1::1'],
    ['2001:db8:0:0:1:0:0:1', '2001:db8::1:0:0:1'],
    ['2001:DB8:AAAA:BBBB:CCCC:DDDD:EEEE:FFFF', '2001:db8:aaaa:bbbb:cccc:dddd:eeee:ffff'],
    ['::', '::'],
    ['0:0:0:0:0:0:0:0', '::'],
    ['::1', '::1'],
    ['1::', '1::'],
    ['1:2:3:4:5:6:7::', '1:2:3:4:5:6:7:0'],
    ['::2:3:4:5:6:7:8', '0:2:3:4:5:6:7:8'],
    // section 5: mapped IPv4
    ['::FFFF:192.0.2.1', '::ffff:192.0.2.1'],
    ['::ffff:c000:0201', '::ffff:192.0.2.1'],
    ['0:0:0:0:0:ffff:192.0.2.1', '::ffff:192.0.2.1'],
    ['64:ff9b::192.0.2.33', '64:ff9b::c000:221'],
  ])('writes %p as %p', (input, expected) => {
    expect(canonicalIp(input)).toBe(expected);
  });

  it.each([
    [''],
    [' '],
    ['256.1.1.1'],
    ['1.2.3'],
    ['1.2.3.4.5'],
    ['01.2.3.4'],
    ['1.2.3.04'],
    ['0x1.2.3.4'],
    ['1.2.3.4:80'],
    ['1.2.3.4, 5.6.7.8'],
    ['1.2.3.4\n5'],
    [':::'],
    ['1::2::3'],
    ['1:2:3:4:5:6:7'],
    ['1:2:3:4:5:6:7:8:9'],
    ['1:2:3:4:5:6:7:8::'],
    ['12345::'],
    ['g::1'],
    ['::1.2.3'],
    ['1.2.3.4::'],
    ['fe80::1%eth0'],
    ['[::1]'],
    [':1'],
    ['1:'],
    [undefined],
    [null],
    [1],
    [['1.2.3.4']],
    [{}],
  ])('rejects %j', (input) => {
    expect(canonicalIp(input)).toBe('');
  });

  it('accepts what the platform accepts, but for zone ids', () => {
    const address = fc.oneof(
      fc.ipV4(),
      fc.ipV6(),
      fc.string({ unit: fc.constantFrom('0', '1', 'f', 'A', ':', '.', '2', '5', '%'), maxLength: 24 }),
      fc
        .array(fc.constantFrom('0', '00', 'ffff', 'A', '12345', '', '1.2.3.4'), { maxLength: 9 })
        .map((p) => p.join(':')),
    );
    fc.assert(
      fc.property(address, (text) => {
        expect(canonicalIp(text) !== '').toBe(isIP(text) !== 0 && !text.includes('%'));
      }),
      { numRuns: 3000 },
    );
  });

  it('returns the same again for an address in canonical form', () => {
    fc.assert(
      fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (text) => {
        const canonical = canonicalIp(text);
        expect(isIP(canonical)).not.toBe(0);
        expect(canonicalIp(canonical)).toBe(canonical);
        expect(canonicalIp(text.toUpperCase())).toBe(canonical);
      }),
      { numRuns: 1000 },
    );
  });
});
