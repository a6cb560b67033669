import { contractDigest, type ServiceContract, sourcesOf, usedPartOf } from '../src/service.js';
import { contractOf, object } from './support/contracts.js';

const at = { function: 'src/lambda.ts' };
const node = { type: 'object', properties: { next: { $ref: '#/schemas/Node' } } };
const contract = contractOf({
  http: { 'GET /notes': { ...at, answer: { 200: { $ref: '#/schemas/Node' } } } },
  queue: { orders: { ...at, message: { $ref: '#/schemas/Order' } } },
  socket: { in: { send: { ...at, message: {} } }, out: {} },
  schemas: { Node: node, Order: { type: 'object' } },
  unknown: [{ at: 'GET /old 200', reason: 'Date' }],
});

describe('the digest of a contract', () => {
  it('is computed from its operations, messages and schemas', () => {
    expect(contractDigest(contract)).toBe('7c6a6b4aaef26cd8');
  });

  const other = { function: 'dev/lambda.ts' };
  test.each<readonly [string, Partial<ServiceContract>]>([
    ['the name of the service: the stack, or the package', { service: '@acme/shop' }],
    ['the function that serves an operation', { queue: { orders: { ...contract.queue.orders, ...other } as never } }],
    ['the order of its schemas', { schemas: { Order: { type: 'object' }, Node: node } }],
  ])('does not depend on %s', (_, change) => {
    expect(contractDigest({ ...contract, ...change })).toBe(contractDigest(contract));
  });

  test.each<readonly [string, Partial<ServiceContract>]>([
    ['an answer', { http: { 'GET /notes': { ...at, answer: { 201: { $ref: '#/schemas/Node' } } } } }],
    ['a posture', { http: { 'GET /notes': { ...contract.http['GET /notes'], ...at, posture: 'public' } } }],
    [
      'a member of a message that is named function',
      { schemas: { ...contract.schemas, Order: object({ function: {} }) } },
    ],
    ['the envelope of socket messages', { socket: { ...contract.socket, envelope: { type: 'kind' } as never } }],
  ])('depends on %s', (_, change) => {
    expect(contractDigest({ ...contract, ...change })).not.toBe(contractDigest(contract));
  });
});

test('the sources of a contract are its messages without its operations', () => {
  const { http, socket, queue } = sourcesOf(contract);
  expect({ http, socket, queue }).toEqual({ http: {}, socket: { in: {}, out: {} }, queue: contract.queue });
});

test.each([
  ['an operation, with schemas that refer to themselves', 'GET /notes', { 'GET /notes': 1 }, ['Node']],
  ['a queue', 'orders', {}, ['Order']],
  ['a WebSocket route', 'send', {}, []],
])('the part that a client uses is %s', (_, used, http, schemas) => {
  const part = usedPartOf(contract, (key) => key === used);
  expect([Object.keys(part.http), Object.keys(part.schemas), part.unknown]).toEqual([Object.keys(http), schemas, []]);
});
