/** The types of a call: they come from one line of the contract. */
import { callTool, createClient, events, openSocket } from '../src/index.js';
import type { Order, Shop } from './service/contract.js';

const api = createClient<Shop>({ url: 'http://127.0.0.1' });

/** Compiled, never called. */
export const accepted = async () => {
  const found = await api('GET /orders/{id}', { params: { id: 'o1' }, timeoutMs: 10 });
  if (found.ok) {
    const order: Order = found.data;
    const status: 200 = found.status;
    return [order, status];
  }
  const code: 'app.not_found' = found.error.code;
  await api('GET /orders');
  await api('GET /orders', { query: { tag: ['a'] } });
  await api('DELETE /orders/{id}', { params: { id: 'o1' }, repeat: true });
  for await (const { event, data } of events(api, 'GET /ticks', { query: { count: 1 } })) {
    const at: number = data.at;
    const tick: 'tick' = event;
    return [at, tick];
  }
  const sum = await callTool(api, 'add', { a: 1, b: 2 });
  const socket = await openSocket<Shop>({ url: 'ws://127.0.0.1' });
  socket.on('said', ({ text }) => text.trim());
  return [code, sum.ok && sum.data.sum.toFixed()];
};

/** Compiled, never called. */
export const rejected = async () => {
  // @ts-expect-error no such operation
  await api('GET /nothing');
  // @ts-expect-error the parameter is missing
  await api('GET /orders/{id}');
  // @ts-expect-error the parameter has another name
  await api('GET /orders/{id}', { params: { name: 'o1' } });
  // @ts-expect-error the body is missing
  await api('POST /orders', { idempotencyKey: true });
  // @ts-expect-error the operation states idempotency: a key is required
  await api('POST /orders', { body: { item: 'tea' } });
  // @ts-expect-error the contract does not state that it can be repeated
  await api('GET /me', { repeat: true });
  // @ts-expect-error no such tool
  await callTool(api, 'subtract', { a: 1, b: 2 });
  // @ts-expect-error an input of another type
  await callTool(api, 'add', { a: '1', b: 2 });
  const socket = await openSocket<Shop>({ url: 'ws://127.0.0.1' });
  // @ts-expect-error no such route
  socket.send('shout', { text: 'hello' });
  // @ts-expect-error a message of another type
  socket.send('say', { text: 1 });
};

it('a client without a contract accepts any operation', () => {
  const any = createClient<{ http: Record<string, Record<never, never>> }>({ url: 'http://127.0.0.1' });
  expect(() => any('GET /x').catch(() => undefined)).not.toThrow();
});
