import { z } from 'zod';
import { environment } from '../src/index.js';

const SCHEMAS = {
  ORDERS_TABLE: z.string(),
  PAGE_SIZE: z.coerce.number().int().default(50),
  MODE: z.enum(['live', 'test']),
};

it('returns the typed values of all variables, with defaults', () => {
  const env = environment(SCHEMAS, { ORDERS_TABLE: 'orders', MODE: 'live', OTHER: 'x' });
  const typed: { readonly ORDERS_TABLE: string; readonly PAGE_SIZE: number; readonly MODE: 'live' | 'test' } = env;
  expect(typed).toEqual({ ORDERS_TABLE: 'orders', PAGE_SIZE: 50, MODE: 'live' });
  expect(Object.isFrozen(env)).toBe(true);
});

it('throws one error that names every wrong variable and no value', () => {
  const wrong = () => environment(SCHEMAS, { PAGE_SIZE: 'sk_live_1', MODE: 'sk_live_2' });
  expect(wrong).toThrow(
    expect.objectContaining({
      code: 'parameters.invalid_environment',
      message: 'framework: ORDERS_TABLE is missing, PAGE_SIZE does not fit its schema, MODE does not fit its schema',
    }),
  );
});

it.each([
  ['is not a Standard Schema', { A: {} }],
  ['is asynchronous', { A: z.string().refine(async () => true) }],
])('rejects a schema that %s, by the name of its variable', (_, schemas) => {
  expect(() => environment(schemas as never, { A: 'a' })).toThrow(expect.failure('app.invalid_configuration', 'A'));
});

it('while an inventory is read, the variables are described and nothing is thrown', () => {
  const key = Symbol.for('sallyport.parameters.environment/1');
  const list: object[] = [];
  Object.assign(globalThis, { [key]: list });
  try {
    environment(SCHEMAS, { MODE: 'other' });
  } finally {
    Reflect.deleteProperty(globalThis, key);
  }
  expect(list).toEqual([
    { name: 'ORDERS_TABLE', problem: 'missing' },
    { name: 'PAGE_SIZE' },
    { name: 'MODE', problem: 'invalid' },
  ]);
});
