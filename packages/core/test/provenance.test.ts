import { parseProvenance, providerProvenance, unknownProvenance } from '../src/request/provenance.js';

const UNKNOWN = { sourceIP: '', provider: 'unknown', source: 'unknown', valid: false };

describe('providerProvenance', () => {
  it.each([['apigw-v2'], ['lambda-url'], ['apigw-v1']] as const)('vouches for an address of %s', (provider) => {
    expect(providerProvenance(provider, '2001:DB8::A')).toEqual({
      sourceIP: '2001:db8::a',
      provider,
      source: 'provider_request_context',
      valid: true,
    });
  });

  it.each([[''], [undefined], [7], ['fe80::1%1'], ['1.2.3.4, 5.6.7.8']])('is unknown for the address %j', (address) => {
    expect(providerProvenance('apigw-v2', address)).toEqual(UNKNOWN);
  });

  it('is unknown for an unknown provider with a good address', () => {
    expect(providerProvenance('unknown', '203.0.113.9')).toEqual(UNKNOWN);
  });
});

describe('parseProvenance', () => {
  const good = { sourceIP: '203.0.113.9', provider: 'lambda-url', source: 'provider_request_context', valid: true };

  it('keeps a consistent record, and computes its validity', () => {
    expect(parseProvenance(good)).toEqual(good);
    expect(parseProvenance({ ...good, valid: false })).toEqual(good);
  });

  it.each([
    [null],
    [undefined],
    ['203.0.113.9'],
    [{}],
    [{ ...good, provider: 'alb' }],
    [{ ...good, provider: 'unknown' }],
    [{ ...good, source: 'x-forwarded-for' }],
    [{ ...good, sourceIP: '300.0.0.1' }],
    [{ ...good, sourceIP: undefined }],
  ])('makes %j unknown', (input) => {
    expect(parseProvenance(input)).toEqual(UNKNOWN);
  });
});

it('returns a fresh copy at each call', () => {
  expect(unknownProvenance()).not.toBe(unknownProvenance());
  expect(providerProvenance('apigw-v1', '::1')).not.toBe(providerProvenance('apigw-v1', '::1'));
});
