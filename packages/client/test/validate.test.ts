/** The option `validate`: answers that do not fit the contract are found while a service is developed. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createClient } from '../src/index.js';
import { validateAnswers } from '../src/validate.js';

interface Shop {
  http: {
    'GET /orders/{id}': { params: { id: string }; answer: { 200: { id: string } } };
    'GET /free': { answer: { 200: unknown } };
  };
}

/** As `sallyport contract` writes it. */
const CONTRACT = {
  http: {
    'GET /orders/{id}': { answer: { '200': { $ref: '#/schemas/Order' }, '204': null } },
    'GET /free': {},
  },
  schemas: {
    Order: {
      type: 'object',
      properties: { id: { type: 'string' }, items: { type: 'array', items: { $ref: '#/schemas/Item' } } },
      required: ['id'],
    },
    Item: { type: 'object', properties: { sku: { type: 'string' }, part: { $ref: '#/schemas/Item' } } },
  },
};

let server: Server;
let url: string;
/** The next answer. */
let next: { readonly status: number; readonly body: unknown };

beforeAll(async () => {
  server = createServer((_request, response) => {
    response.writeHead(next.status, { 'content-type': 'application/json' });
    response.end(next.body === undefined ? '' : JSON.stringify(next.body));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.close();
});

const client = () => createClient<Shop>({ url, retry: false, validate: validateAnswers(CONTRACT, 'always') });
const read = (status: number, body?: unknown) => {
  next = { status, body };
  return client()('GET /orders/{id}', { params: { id: 'o1' } });
};

it.each([
  [200, { id: 'o1' }],
  [200, { id: 'o1', items: [{ sku: 'tea', part: { sku: 'leaf' } }], unknown: 'member' }],
  [204, undefined],
  [404, { error: { code: 'app.not_found', message: '' } }],
])('the answer %i with %j is accepted', async (status, body) => {
  await expect(read(status, body)).resolves.toMatchObject({ status });
});

it.each([
  [200, { id: 7 }, 'does not fit the contract at #/id: Instance type "number" is invalid. Expected "string".'],
  [200, {}, 'does not fit the contract at #: Instance does not have required property "id".'],
  [200, undefined, 'does not fit the contract at #: Instance type "null" is invalid. Expected "object".'],
  [
    200,
    { id: 'o1', items: [{ part: { sku: ['secret'] } }] },
    'does not fit the contract at #/items/0/part/sku: Instance type "array" is invalid. Expected "string".',
  ],
  [201, { id: 'o1' }, 'is not one of the stated 200, 204'],
])('the answer %i with %j is client.invalid_answer: %s', async (status, body, problem) => {
  await expect(read(status, body)).rejects.toMatchObject({
    name: 'ClientError',
    code: 'client.invalid_answer',
    status,
    message: `GET /orders/{id}: the answer ${status} ${problem}`,
  });
});

it('an operation that states no answers is not checked', async () => {
  next = { status: 200, body: [1] };
  await expect(client()('GET /free')).resolves.toMatchObject({ data: [1] });
});

describe('in development', () => {
  const before = process.env.NODE_ENV;
  afterEach(() => {
    process.env.NODE_ENV = before;
  });

  it.each([
    ['development', true],
    ['test', true],
    ['production', false],
    ['', false],
  ])('where NODE_ENV is %j, answers are checked: %s', (value, isChecked) => {
    process.env.NODE_ENV = value;
    expect(validateAnswers(CONTRACT) !== undefined).toBe(isChecked);
    expect(validateAnswers(CONTRACT, 'development') !== undefined).toBe(isChecked);
    expect(validateAnswers(CONTRACT, 'always')).toBeDefined();
  });
});
