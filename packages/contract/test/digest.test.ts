import { contractDigest, sourcesOf, usedPartOf } from '../src/service.js';
import { contractOf } from './support/contracts.js';

const at = { function: 'src/lambda.ts' };
const node = { type: 'object', properties: { next: { $ref: '#/schemas/Node' } } };
const contract = contractOf({
  http: { 'GET /notes': { ...at, answer: { 200: { $ref: '#/schemas/Node' } } } },
  queue: { orders: { ...at, message: { $ref: '#/schemas/Order' } } },
  socket: { in: { send: { ...at, message: {} } }, out: {} },
  schemas: { Node: node, Order: { type: 'object' } },
  unknown: [{ at: 'GET /old 200', reason: 'Date' }],
});

test('the digest of a contract is computed from its JSON', () => {
  expect(contractDigest({ version: 1, service: 'notes' } as never)).toBe('1c562664763ecb4b');
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
