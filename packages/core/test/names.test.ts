import { baseName, namePart, normalizeStage, resourceName } from '../src/observability.js';

it.each([
  ['prod', 'live'],
  ['Production', 'live'],
  [' LIVE ', 'live'],
  ['dev', 'dev'],
  ['development', 'dev'],
  ['stg', 'stage'],
  ['stage', 'stage'],
  ['staging', 'stage'],
  ['test', 'test'],
  ['testing', 'test'],
  ['local', 'local'],
  ['QA_1', 'qa-1'],
  ['constructor', 'constructor'],
  ['__proto__', 'proto'],
  ['', ''],
])('the stage %j is %j', (stage, expected) => {
  expect(normalizeStage(stage)).toBe(expected);
});

it.each([
  [' My_App ', 'my-app'],
  ['a  b__c', 'a-b-c'],
  ['--a--', 'a'],
  ['a.b/c', 'a-b-c'],
  ['Ä', ''],
  ['émile', 'mile'],
  ['', ''],
  ['---', ''],
])('the part %j is %j', (part, expected) => {
  expect(namePart(part)).toBe(expected);
});

it('empty parts leave no dash', () => {
  expect(baseName('Shop', 'prod')).toBe('shop-live');
  expect(baseName('Shop', 'prod', 'Acme Inc')).toBe('shop-acme-inc-live');
  expect(baseName('', '', '')).toBe('');
  expect(resourceName('shop', 'orders', 'dev')).toBe('shop-orders-dev');
  expect(resourceName('shop', 'orders', 'dev', 't1')).toBe('shop-t1-orders-dev');
  expect(resourceName('shop', '!', 'dev')).toBe('shop-dev');
});

describe('a name that is too long', () => {
  it('is cut and ends in eight digits of the hash of the whole', () => {
    const name = resourceName('a'.repeat(80), 'r', 'prod');
    expect(name).toBe(`${'a'.repeat(54)}-e45d9d82`);
    expect(name).toHaveLength(63);
    expect(resourceName('a'.repeat(80), 's', 'prod')).not.toBe(name);
  });

  it('has no two dashes before the hash, and fits exactly when it fits', () => {
    expect(resourceName('abc', 'd'.repeat(50), 'dev', '', { maxLength: 13 })).toMatch(/^abc-[0-9a-f]{8}$/);
    expect(resourceName('a'.repeat(57), 'r', 'dev')).toBe(`${'a'.repeat(57)}-r-dev`);
  });

  it.each([[9], [0], [10.5], [Number.NaN]])('rejects the length %p', (maxLength) => {
    expect(() => resourceName('a', 'b', 'c', '', { maxLength })).toThrow(
      expect.failure('app.invalid_configuration', 'option "maxLength"'),
    );
  });
});
