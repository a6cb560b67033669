import { joinContracts, type ServiceContract, toOpenApi } from '../src/service.js';
import { contractOf } from './support/contracts.js';

const at = (service: string) => ({ function: `src/${service}.ts` });
const note = (member: string) => ({ type: 'object', properties: { [member]: { type: 'string' } } });
const list = { type: 'array', items: { $ref: '#/schemas/Note' } };
const answers = (name: string) => ({ 200: { $ref: `#/schemas/${name}` } });

const orders = contractOf({
  http: { 'GET /orders': { ...at('orders'), answer: answers('Notes') } },
  schemas: { Note: note('id'), Notes: list, Shared: { type: 'string' } },
});
const bills = contractOf({
  http: { 'GET /bills': { ...at('bills'), answer: answers('Notes'), body: { $ref: '#/schemas/Shared' } } },
  queue: { bills: { ...at('bills'), message: { $ref: '#/schemas/Note' } } },
  schemas: { Note: note('key'), Notes: list, Shared: { type: 'string' } },
});
const join = (...contracts: readonly ServiceContract[]) =>
  joinContracts(
    'shop',
    contracts.map((contract, index) => ({ place: `${index}/contract.json`, contract })),
  );

test('the contracts of two services are one document, and schemas with one name and other contents have a number', () => {
  const { http, queue, schemas, renamed } = join(orders, bills);
  expect(http).toEqual({
    'GET /bills': { ...at('bills'), answer: answers('Notes2'), body: { $ref: '#/schemas/Shared' } },
    'GET /orders': { ...at('orders'), answer: answers('Notes') },
  });
  expect(queue.bills?.message).toEqual({ $ref: '#/schemas/Note2' });
  expect(schemas).toEqual({
    Note: note('id'),
    Note2: note('key'),
    Notes: list,
    Notes2: { type: 'array', items: { $ref: '#/schemas/Note2' } },
    Shared: { type: 'string' },
  });
  expect(renamed).toEqual(['Note', 'Notes']);
  expect(Object.keys(toOpenApi(join(orders, bills)).paths as object)).toEqual(['/bills', '/orders']);
});

test('operations and sources of two services are one error that names all of them, with both files', () => {
  const first = contractOf({
    http: { 'GET /notes/{id}': at('a') },
    queue: { orders: { ...at('a'), message: {} } },
    tool: { search: { ...at('a'), input: {}, output: {} } },
  });
  const second = contractOf({
    http: { 'GET /notes/{key}': at('b') },
    queue: { orders: { ...at('b'), message: {} } },
    invoke: { search: { ...at('b'), input: {}, output: {} } },
  });
  expect(() => join(first, second)).toThrow(
    'registered by two services: GET /notes/{key} (src/a.ts in 0/contract.json and src/b.ts in 1/contract.json); queue orders (src/a.ts in 0/contract.json and src/b.ts in 1/contract.json)',
  );
});

test('two envelopes of WebSocket messages have no common contract', () => {
  const socket = (route: string, key: string) =>
    contractOf({
      socket: { in: { [key]: { ...at('a'), message: {} } }, out: {}, envelope: { route, type: 'type', data: 'data' } },
    });
  expect(() => join(socket('do', 'a'), socket('op', 'b'))).toThrow('state different envelopes of WebSocket messages');
  expect(join(socket('do', 'a'), contractOf({})).socket.envelope).toEqual({ route: 'do', type: 'type', data: 'data' });
});
