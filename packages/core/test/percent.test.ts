import { decodePercent, decodeQueryPart } from '../src/request/encoding.js';

describe('decodePercent', () => {
  it.each([
    ['plain', 'plain'],
    ['%41', 'A'],
    ['%2541', '%41'],
    ['%C3%A9', 'é'],
    ['%zz', '%zz'],
    ['%4', '%4'],
    ['%41%', 'A%'],
    ['%ff', '%ff'],
    ['%41%ff%42', '%41%ff%42'],
    ['%41-%ff-%42', 'A-%ff-B'],
    ['a+b', 'a+b'],
  ])('decodes %j once, as %j', (text, expected) => {
    expect(decodePercent(text)).toBe(expected);
  });
});

it('a plus in a query is a space, an escaped plus is a plus', () => {
  expect(decodeQueryPart('a+b%2Bc%zz')).toBe('a b+c%zz');
});
