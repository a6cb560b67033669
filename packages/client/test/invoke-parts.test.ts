import { createClient, events } from '../src/index.js';
import { toInvokeEvent } from '../src/internal/invoke-event.js';
import { toInvokeResponse } from '../src/internal/invoke-response.js';

const result = (head: object) => ({ Payload: new TextEncoder().encode(JSON.stringify(head)) });

it.each([
  [200, 'yes', 'yes'],
  [204, '', ''],
  [205, '', ''],
  [304, '', ''],
  [304, 'not a body', ''],
  [599, 'no', 'no'],
])('a result with the status %d and the body "%s" is a response', async (statusCode, body, text) => {
  const response = toInvokeResponse('GET /a', result({ statusCode, body }));
  expect([response.status, await response.text()]).toEqual([statusCode, text]);
});

it.each([
  ['no status', {}],
  ['the status 199', { statusCode: 199 }],
  ['the status 600', { statusCode: 600 }],
  ['a status that is not whole', { statusCode: 200.5 }],
  ['a status that is a text', { statusCode: '200' }],
])('a result with %s is not an HTTP answer', (_title, head) => {
  expect(() => toInvokeResponse('GET /a', result(head))).toThrow('GET /a: the result of the function is not an HTTP');
});

it.each([
  ['none', {}, ''],
  ['shop/1', { 'user-agent': 'shop/1' }, 'shop/1'],
])('the event of a request has its user agent: %s', async (_title, headers, userAgent) => {
  const event = await toInvokeEvent(new Request('http://shop/orders?tag=a', { headers }));
  expect(event).toMatchObject({ rawQueryString: 'tag=a', requestContext: { http: { userAgent } } });
});

it.each([200, 204])('a stream whose answer %d has no body ends', async (status) => {
  const fetch = import.meta.jest.fn(async () => toInvokeResponse('GET /s', result({ statusCode: status, body: '' })));
  const api = createClient<{ http: { 'GET /s': { events: { tick: number } } } }>({ url: 'http://shop', fetch });
  for await (const event of events(api, 'GET /s')) throw new Error(JSON.stringify(event));
  expect(fetch).toHaveBeenCalledTimes(1);
});
