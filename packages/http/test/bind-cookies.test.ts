import { z } from 'zod';
import { type BindSpec, bind, createHttpRouter, minLength, required, serveRequest } from '../src/index.js';
import { generateOpenAPI } from '../src/openapi.js';

async function send(spec: BindSpec, cookies: readonly string[]) {
  const app = createHttpRouter().get(
    '/',
    bind(spec, (_, input) => input),
  );
  const { status, body } = await serveRequest(app, {
    method: 'GET',
    path: '/',
    headers: { cookie: cookies.join('; ') },
  });
  return [status, JSON.parse(Buffer.from(body).toString()) as unknown];
}

const FIELDS = { sid: { type: 'string', rules: [required(), minLength(2)] }, visits: { type: 'int' } } as const;
const SCHEMA = z.object({ sid: z.string().min(2) });

describe('cookies as a source of bind', () => {
  it('are converted and validated by fields', async () => {
    expect(await send({ cookies: FIELDS }, ['sid=a%20b', 'visits=3', 'other=1'])).toEqual([
      200,
      { cookies: { sid: 'a%20b', visits: 3 } },
    ]);
  });

  it('are given to a schema', async () => {
    expect(await send({ cookies: SCHEMA }, ['sid=abc', 'other=1'])).toEqual([200, { cookies: { sid: 'abc' } }]);
  });

  it.each<[string, BindSpec, string[], number, object]>([
    ['a required one is missing', { cookies: FIELDS }, [], 422, { source: 'cookies', field: 'sid', rule: 'required' }],
    ['a rule is broken', { cookies: FIELDS }, ['sid=a'], 422, { source: 'cookies', field: 'sid', rule: 'min_length' }],
    ['a schema refuses', { cookies: SCHEMA }, [], 422, { source: 'cookies', field: 'sid', rule: 'schema' }],
  ])('are rejected where %s', async (_, spec, cookies, status, issue) => {
    expect(await send(spec, cookies)).toEqual([
      status,
      { error: expect.objectContaining({ details: { errors: [expect.objectContaining(issue)] } }) },
    ]);
  });

  it('that cannot be converted are 400', async () => {
    expect(await send({ cookies: FIELDS }, ['sid=ab', 'visits=x'])).toEqual([
      400,
      { error: expect.objectContaining({ message: 'invalid cookies binding for visits' }) },
    ]);
  });

  it('are one value each', () => {
    expect(() => bind({ cookies: { a: { type: 'string', array: true } } }, () => null)).toThrow(
      'a cookie is one value',
    );
  });

  it.each([
    ['fields', bind({ cookies: FIELDS }, () => null)],
    ['a schema', bind({ cookies: SCHEMA }, () => null)],
  ])('are in the document, from %s', (_, { contract }) => {
    const route = { method: 'GET', path: '/', operationId: 'x', contract };
    const { paths } = generateOpenAPI({ title: 't', version: '1', routes: [route] });
    const { '/': path } = paths as unknown as { '/': { get: { parameters: object[] } } };
    expect(path.get.parameters[0]).toMatchObject({ name: 'sid', in: 'cookie', required: true });
  });

  it('have their type', () => {
    const handler = bind({ cookies: FIELDS }, (_, { cookies }) => {
      const sid: string = cookies.sid;
      const visits: number | undefined = cookies.visits;
      return [sid, visits];
    });
    expect(handler.contract.cookies).toBe(FIELDS);
  });
});
