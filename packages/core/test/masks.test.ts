import { maskCard, maskFirstLast, maskFirstLast4, maskRestricted } from '../src/observability.js';

it.each([
  ['4111111111111111', '411111******1111'],
  ['4111-1111 1111-1111', '411111******1111'],
  ['1234567890123', '123456***0123'],
  ['123456789012', '********9012'],
  ['12345678901', '*******8901'],
  ['123456789', '*****6789'],
  ['12345678', '****'],
  ['1', '****'],
  ['abc', '[REDACTED]'],
  ['', '[REDACTED]'],
  ['٤١١١', '[REDACTED]'],
])('a card %j shows as %j', (value, expected) => {
  expect(maskCard(value)).toBe(expected);
});

it('a card of a million digits remains short', () => {
  expect(maskCard('1'.repeat(1_000_000)).length).toBeLessThan(64);
});

it.each([
  ['123-45-6789', '*****6789'],
  ['12345678', '****5678'],
  ['1234567', '[REDACTED]'],
  ['abcdefghijkl', '[REDACTED]'],
  ['', '[REDACTED]'],
])('a restricted value %j shows as %j', (value, expected) => {
  expect(maskRestricted(value)).toBe(expected);
});

it.each<[string, number, number, string]>([
  ['', 1, 1, '(empty)'],
  ['abcdef', 2, 2, 'ab***ef'],
  ['abcdef', 0, 2, '***ef'],
  ['abcdef', 2, 0, 'ab***'],
  ['abcdef', 0, 0, '***'],
  ['abcd', 2, 2, '***masked***'],
  ['abcdef', -1, 2, '***masked***'],
  ['abcdef', 1.5, 2, '***masked***'],
  ['abcdef', Number.NaN, 2, '***masked***'],
  ['😀abc😀', 1, 1, '😀***😀'],
])('maskFirstLast(%j, %d, %d) is %j', (value, first, last, expected) => {
  expect(maskFirstLast(value, first, last)).toBe(expected);
});

it('maskFirstLast4 shows four of each end', () => {
  expect(maskFirstLast4('abcdefghij')).toBe('abcd***ghij');
  expect(maskFirstLast4('abcdefgh')).toBe('***masked***');
});
