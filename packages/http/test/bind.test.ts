import { type Context, FrameworkError } from '@sallyport/core';
import type { OutgoingResponse } from '@sallyport/core/internal';
import { type } from 'arktype';
import * as v from 'valibot';
import { z } from 'zod';
import { bind, max, maxLength, min, minLength, oneOf, pattern, required, type StandardSchema } from '../src/index.js';
import { created, noContent, text } from '../src/responses/responses.js';
import { type ContextInput, contextOf } from './support/context.js';

const JSON_HEADERS = { 'content-type': 'application/json' };
const post = (body: unknown, input: ContextInput = {}): Context =>
  contextOf({
    method: 'POST',
    ...input,
    headers: { ...JSON_HEADERS, ...input.headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });

type Bound = (ctx: Context) => unknown;
const run = async (handler: Bound, ctx: Context): Promise<OutgoingResponse> => (await handler(ctx)) as OutgoingResponse;

async function failure(handler: Bound, ctx: Context): Promise<FrameworkError> {
  try {
    await handler(ctx);
  } catch (error) {
    if (error instanceof FrameworkError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

const wire = (error: FrameworkError) => [error.status, error.code, error.message, error.details];

const EXPECTED: Readonly<Record<string, string>> = {
  int: 'a whole number',
  float: 'a number',
  bool: 'true or false',
  duration: 'a duration such as 1m30s',
};

describe('bind with Standard Schema validators', () => {
  const schemas = {
    zod: z.object({ name: z.string().min(2), age: z.number() }),
    valibot: v.object({ name: v.pipe(v.string(), v.minLength(2)), age: v.number() }),
    arktype: type({ name: 'string >= 2', age: 'number' }),
  } satisfies Record<string, StandardSchema<unknown, { name: string; age: number }>>;

  describe.each(Object.entries(schemas))('%s', (_, schema) => {
    const handler = bind(
      { body: schema as StandardSchema<unknown, { name: string; age: number }> },
      (_ctx, { body }) => ({
        greeting: `${body.name} is ${body.age}`,
      }),
    );

    it('hands the validated body to the handler and sends its value as JSON', async () => {
      const response = await run(handler, post({ name: 'Ada', age: 36 }));
      expect([response.status, response.content]).toEqual([200, '{"greeting":"Ada is 36"}']);
      expect(response.headers['content-type']).toEqual(['application/json; charset=utf-8']);
    });

    it('answers 422 with the path of each invalid value', async () => {
      const error = await failure(handler, post({ name: 'A', age: 'x' }));
      expect([error.status, error.code, error.message]).toEqual([422, 'app.validation_failed', 'validation failed']);
      expect(error.details).toEqual({
        errors: [
          { source: 'body', field: expect.any(String), rule: 'schema', message: expect.any(String) },
          { source: 'body', field: expect.any(String), rule: 'schema', message: expect.any(String) },
        ],
      });
      const { errors } = error.details as { errors: { field: string }[] };
      expect(errors.map((entry) => entry.field).sort()).toEqual(['age', 'name']);
    });

    it('accepts field names that Object.prototype has', async () => {
      const open = bind({ query: schema as StandardSchema }, () => 'ok');
      const error = await failure(
        open,
        contextOf({ query: JSON.parse('{"__proto__":"x","constructor":"y","toString":"z"}') }),
      );
      expect(error.status).toBe(422);
    });
  });

  it('joins the path of an issue with dots', async () => {
    const handler = bind({ body: z.object({ tags: z.array(z.object({ id: z.number() })) }) }, () => null);
    const error = await failure(handler, post({ tags: [{ id: 1 }, { id: 'x' }] }));
    expect(error.details).toEqual({
      errors: [
        {
          source: 'body',
          field: 'tags.1.id',
          rule: 'schema',
          message: 'Invalid input: expected number, received string',
        },
      ],
    });
  });

  it('reads path segments that are objects or symbols', async () => {
    const odd: StandardSchema = {
      '~standard': {
        version: 1,
        vendor: 'odd',
        validate: () => ({ issues: [{ message: 'no', path: [{ key: 'a' }, 1, Symbol('s')] }, { message: 'at all' }] }),
      },
    };
    const error = await failure(
      bind({ query: odd }, () => null),
      contextOf(),
    );
    expect(error.details).toEqual({
      errors: [
        { source: 'query', field: 'a.1.Symbol(s)', rule: 'schema', message: 'no' },
        { source: 'query', field: '', rule: 'schema', message: 'at all' },
      ],
    });
  });

  it('awaits validators and uses what they make of the input', async () => {
    const handler = bind(
      {
        params: z.object({ id: z.coerce.number() }),
        query: z.object({ at: z.string().transform(async (value) => new Date(value)) }),
      },
      (_ctx, { params, query }) => ({ id: params.id + 1, year: query.at.getUTCFullYear() }),
    );
    const ctx = contextOf({ params: { id: '41' }, query: { at: '2026-11-21' } });
    expect((await run(handler, ctx)).content).toBe('{"id":42,"year":2026}');
  });

  it('collects what is wrong with all sources, in the order params, query, headers, body', async () => {
    const number = (name: string) => z.object({ [name]: z.number() });
    const handler = bind(
      { body: number('b'), headers: number('x-h'), query: number('q'), params: number('p') },
      () => null,
    );
    const ctx = post({ b: 'x' }, { params: { p: 'x' }, query: { q: 'x' }, headers: { 'X-H': 'x' } });
    const { errors } = (await failure(handler, ctx)).details as { errors: { source: string; field: string }[] };
    expect(errors.map(({ source, field }) => `${source} ${field}`)).toEqual([
      'params p',
      'query q',
      'headers x-h',
      'body b',
    ]);
  });

  it('reports at most 100 errors', async () => {
    const handler = bind({ query: z.object({}).strict(), body: z.array(z.number()) }, () => null);
    const ctx = post(Array(5000).fill('x'), { query: { a: '1' } });
    const { errors } = (await failure(handler, ctx)).details as { errors: unknown[] };
    expect(errors).toHaveLength(100);
    expect(errors[0]).toMatchObject({ source: 'query' });
  });

  it('keeps a FrameworkError that a validator throws, and passes any other error on', async () => {
    const throwing = (error: Error) =>
      z.string().transform((): string => {
        throw error;
      });
    const conflict = bind({ body: throwing(new FrameworkError('app.conflict', 'taken')) }, () => null);
    expect(wire(await failure(conflict, post('"a"')))).toEqual([409, 'app.conflict', 'taken', undefined]);
    const broken = bind({ body: throwing(new Error('secret')) }, () => null);
    await expect(broken(post('"a"'))).rejects.not.toBeInstanceOf(FrameworkError);
  });

  it('returns one query value as text, several as a list, and named ones always as a list', async () => {
    const handler = bind(
      { query: z.record(z.string(), z.unknown()), queryArrays: ['tag', 'absent'] },
      (_ctx, { query }) => query,
    );
    const ctx = contextOf({ query: { one: 'a', two: ['b', 'c'], tag: 'd' } });
    expect(JSON.parse(String((await run(handler, ctx)).content))).toEqual({ one: 'a', two: ['b', 'c'], tag: ['d'] });
  });

  it('returns headers under lower-case names, repeated ones joined', async () => {
    const handler = bind(
      { headers: z.object({ 'x-a': z.string(), cookie: z.string() }) },
      (_ctx, { headers }) => headers,
    );
    const ctx = contextOf({ headers: { 'X-A': ['1', '2'], Cookie: ['a=1', 'b=2'] } });
    expect((await run(handler, ctx)).content).toBe('{"x-a":"1,2","cookie":"a=1; b=2"}');
  });

  it('returns undefined for a source that has no schema', async () => {
    const handler = bind({}, (_ctx, input) =>
      Object.entries(input).map(([name, value]) => [name, value === undefined]),
    );
    expect((await run(handler, contextOf())).content).toBe(
      '[["params",true],["query",true],["headers",true],["cookies",true],["body",true]]',
    );
  });
});

describe('bodies', () => {
  const handler = bind({ params: { id: { type: 'int' } }, body: z.object({}) }, () => null);

  it.each([
    ['', JSON_HEADERS, 'request body is empty'],
    ['{', JSON_HEADERS, 'invalid json'],
    ['   ', JSON_HEADERS, 'invalid json'],
  ])('%j with %j is 400 %s, before any other check', async (body, headers, message) => {
    const ctx = contextOf({ method: 'POST', body, headers, params: { id: 'no number' } });
    expect(wire(await failure(handler, ctx))).toEqual([400, 'app.bad_request', message, undefined]);
  });

  it.each([
    [{ 'content-type': 'text/plain' }, 'it is text/plain'],
    [{ 'content-type': 'application/jsonx' }, 'it is application/jsonx'],
    [{}, 'there is none'],
  ])('with the headers %j is 415, before any other check', async (headers, given) => {
    const ctx = contextOf({ method: 'POST', body: '{}', headers, params: { id: 'no number' } });
    const message = `content-type must be application/json; ${given}`;
    expect(wire(await failure(handler, ctx))).toEqual([415, 'app.unsupported_media_type', message, undefined]);
  });

  it('can be omitted if optional, and are validated if present', async () => {
    const optional = bind(
      { body: z.object({ a: z.number() }), bodyOptional: true },
      (_ctx, { body }) => body?.a ?? 'none',
    );
    expect((await run(optional, contextOf({ method: 'POST' }))).content).toBe('"none"');
    expect((await run(optional, post({ a: 1 }))).content).toBe('1');
    expect((await failure(optional, post({ a: 'x' }))).status).toBe(422);
    expect((await failure(optional, post('{'))).message).toBe('invalid json');
    const fields = bind(
      { body: { a: { type: 'int', rules: [required()] } }, bodyOptional: true },
      (_ctx, { body }) => body ?? 'none',
    );
    expect((await run(fields, contextOf({ method: 'POST' }))).content).toBe('"none"');
  });

  it('hand JSON null to the schema', async () => {
    const nullable = bind({ body: z.null() }, (_ctx, { body }) => [body]);
    expect((await run(nullable, post('null'))).content).toBe('[null]');
  });
});

describe('bind with field maps', () => {
  it('converts every type from a query', async () => {
    const handler = bind(
      {
        query: {
          s: { type: 'string' },
          i: { type: 'int' },
          f: { type: 'float' },
          b: { type: 'bool' },
          d: { type: 'duration' },
          list: { type: 'int', array: true },
          renamed: { type: 'string', name: 'other_name' },
          missing: { type: 'int' },
        },
      },
      (_ctx, { query }) => query,
    );
    const query = { s: '', i: '-7', f: '1.5e2', b: 'true', d: '1m30s', list: ['1', '2'], other_name: 'x', extra: '1' };
    expect(JSON.parse(String((await run(handler, contextOf({ query }))).content))).toEqual({
      s: '',
      i: -7,
      f: 150,
      b: true,
      d: 90_000,
      list: [1, 2],
      renamed: 'x',
    });
  });

  it.each([
    ['int', '1.5'],
    ['int', ''],
    ['int', '0x10'],
    ['int', ' 1'],
    ['int', '9007199254740993'],
    ['float', 'Infinity'],
    ['float', 'NaN'],
    ['float', '1e999'],
    ['float', '.'],
    ['bool', 'yes'],
    ['bool', 'TRUE'],
    ['bool', ''],
    ['duration', '5'],
    ['duration', '5 s'],
    ['duration', 'P1Y'],
    ['duration', 'P'],
    ['duration', 'PT'],
  ] as const)('answers 400 for the %s %j', async (fieldType, value) => {
    const handler = bind({ query: { f: { type: fieldType, name: 'wire' } } }, () => null);
    expect(wire(await failure(handler, contextOf({ query: { wire: value } })))).toEqual([
      400,
      'app.bad_request',
      'invalid query binding for f',
      { source: 'query', name: 'wire', field: 'f', expected: EXPECTED[fieldType] },
    ]);
  });

  it.each([
    ['1h30m', 5_400_000],
    ['250ms', 250],
    ['1.5s', 1500],
    ['-2s', -2000],
    ['3us', 0.003],
    ['PT1H30M', 5_400_000],
    ['P1DT0.5S', 86_400_500],
    ['P2W', 1_209_600_000],
    ['-PT1S', -1000],
  ])('reads the duration %s as %s ms', async (value, ms) => {
    const handler = bind({ query: { d: { type: 'duration' } } }, (_ctx, { query }) => query.d);
    expect((await run(handler, contextOf({ query: { d: value } }))).content).toBe(String(ms));
  });

  it.each(['params', 'query', 'headers'] as const)('names the source %s in a failure', async (source) => {
    const handler = bind({ [source]: { age: { type: 'int' } } } as object, () => null);
    const error = await failure(handler, contextOf({ [source]: { age: 'x' } }));
    expect(wire(error)).toEqual([
      400,
      'app.bad_request',
      `invalid ${source} binding for age`,
      { source, name: 'age', field: 'age', expected: 'a whole number' },
    ]);
  });

  it('converts in the order params, query, headers, body', async () => {
    const handler = bind(
      { body: { x: { type: 'int' } }, headers: { x: { type: 'int' } }, query: { x: { type: 'int' } } },
      () => null,
    );
    const ctx = post({ x: 'a' }, { query: { x: 'a' }, headers: { x: 'a' } });
    expect((await failure(handler, ctx)).message).toBe('invalid query binding for x');
  });

  it('rejects a repeated value for a single field, in a query; joins it in a header', async () => {
    const query = bind({ query: { a: { type: 'string' } } }, () => null);
    expect((await failure(query, contextOf({ query: { a: ['1', '2'] } }))).message).toBe('invalid query binding for a');
    const headers = bind({ headers: { a: { type: 'string', name: 'X-A' } } }, (_ctx, { headers: { a } }) => a);
    expect((await run(headers, contextOf({ headers: { 'x-a': ['1', '2'] } }))).content).toBe('"1,2"');
  });

  it('reads parameters decoded once, and reports parameters outside the pattern as missing', async () => {
    const handler = bind({ params: { id: { type: 'string' } } }, (_ctx, { params }) => params.id);
    const number = bind({ params: { id: { type: 'int' } } }, (_ctx, { params }) => params.id);
    expect((await failure(number, contextOf({ params: { other: '1' } }))).status).toBe(422);
    expect((await run(handler, contextOf({ params: { id: 'a%2520b' } }))).content).toBe('"a%20b"');
    expect((await failure(handler, contextOf({ params: { other: 'x' } }))).details).toEqual({
      errors: [{ source: 'params', field: 'id', rule: 'required', message: 'id is required' }],
    });
  });

  it.each([
    [{ i: '5' }, 'i'],
    [{ i: 1.5 }, 'i'],
    [{ s: 5 }, 's'],
    [{ b: 'true' }, 'b'],
    [{ f: '1' }, 'f'],
    [{ d: 5 }, 'd'],
    [{ l: 1 }, 'l'],
    [{ l: [1, '2'] }, 'l'],
    [{ i: {} }, 'i'],
    [[], 'body'],
    ['"text"', 'body'],
    ['null', 'body'],
  ])('accepts no other type of JSON for a field: %j', async (body, field) => {
    const handler = bind(
      {
        body: {
          i: { type: 'int' },
          s: { type: 'string' },
          b: { type: 'bool' },
          f: { type: 'float' },
          d: { type: 'duration' },
          l: { type: 'int', array: true },
        },
      },
      () => null,
    );
    expect(wire(await failure(handler, post(body)))).toEqual([
      400,
      'app.bad_request',
      `invalid body binding for ${field}`,
      { source: 'body', name: field, field, expected: expect.any(String) },
    ]);
  });

  it('reads a JSON object: null is absent, unknown names are left out, a prototype name is a name', async () => {
    const handler = bind(
      { body: { a: { type: 'int' }, b: { type: 'bool' }, toString: { type: 'string' } } },
      (_ctx, { body }) => body,
    );
    expect(
      JSON.parse(String((await run(handler, post('{"a":1,"b":null,"c":2,"__proto__":{"x":1}}'))).content)),
    ).toEqual({ a: 1 });
  });

  it.each([
    [[required()], undefined, 'required', 'f is required'],
    [[required(), minLength(1)], '', 'min_length', 'f length must be >= 1'],
    [[minLength(2)], 'a', 'min_length', 'f length must be >= 2'],
    [[maxLength(2)], 'abc', 'max_length', 'f length must be <= 2'],
    [[pattern('^a$')], 'ba', 'pattern', 'f must match pattern'],
    [[pattern(/^a$/u)], 'ba', 'pattern', 'f must match pattern'],
    [[oneOf('a', 'b')], 'c', 'one_of', 'f must be one of a, b'],
  ])('text rule %j rejects %j', async (rules, value, rule, message) => {
    const handler = bind({ query: { f: { type: 'string', rules } } }, () => null);
    const error = await failure(handler, contextOf({ query: value === undefined ? {} : { f: value } }));
    expect(wire(error)).toEqual([
      422,
      'app.validation_failed',
      'validation failed',
      { errors: [{ source: 'query', field: 'f', rule, message }] },
    ]);
  });

  it.each([
    ['int', min(0), '-1', 'min', 'f must be >= 0'],
    ['float', max(1.5), '1.6', 'max', 'f must be <= 1.5'],
    ['duration', max(1000), '2s', 'max', 'f must be <= 1000'],
    ['int', oneOf(1, 2), '3', 'one_of', 'f must be one of 1, 2'],
  ] as const)('number rule of %s: %j rejects %j', async (fieldType, numberRule, value, rule, message) => {
    const handler = bind({ query: { f: { type: fieldType, rules: [numberRule] } } }, () => null);
    expect((await failure(handler, contextOf({ query: { f: value } }))).details).toEqual({
      errors: [{ source: 'query', field: 'f', rule, message }],
    });
  });

  it('accepts the smallest and the largest allowed value', async () => {
    const handler = bind(
      {
        query: {
          n: { type: 'int', rules: [min(1), max(1), oneOf(1)] },
          s: { type: 'string', rules: [minLength(2), maxLength(2), pattern('a')] },
          e: { type: 'string', rules: [maxLength(1)] },
        },
      },
      () => 'ok',
    );
    expect((await run(handler, contextOf({ query: { n: '1', s: 'ba', e: '😀' } }))).content).toBe('"ok"');
  });

  it('ends a field at a failed required, and reports every other broken rule', async () => {
    const handler = bind(
      {
        query: {
          a: { type: 'string', rules: [required(), minLength(2)] },
          b: { type: 'string', rules: [minLength(3), pattern('z'), oneOf('zzz')] },
          c: { type: 'int', rules: [min(5)] },
        },
      },
      () => null,
    );
    const { errors } = (await failure(handler, contextOf({ query: { b: 'x' } }))).details as {
      errors: { field: string; rule: string }[];
    };
    expect(errors.map(({ field, rule }) => `${field} ${rule}`)).toEqual([
      'a required',
      'b min_length',
      'b pattern',
      'b one_of',
    ]);
  });

  it('applies the rules of a list to its entries, and lengths to the list', async () => {
    const handler = bind({ body: { l: { type: 'int', array: true, rules: [minLength(3), max(5)] } } }, () => null);
    expect((await failure(handler, post({ l: [1, 9] }))).details).toEqual({
      errors: [
        { source: 'body', field: 'l', rule: 'min_length', message: 'l length must be >= 3' },
        { source: 'body', field: 'l', rule: 'max', message: 'l must be <= 5' },
      ],
    });
  });
});

describe('answers', () => {
  it('have the status of the specification', async () => {
    expect(
      (
        await run(
          bind({ status: 201 }, () => ({ id: 1 })),
          contextOf(),
        )
      ).status,
    ).toBe(201);
    const empty = await run(
      bind({ status: 204 }, () => undefined),
      contextOf(),
    );
    expect([empty.status, Object.keys(empty.headers)]).toEqual([204, []]);
  });

  it.each([
    ['text', () => text(418, 'x'), 418],
    ['created', () => created(1), 201],
    ['noContent', () => noContent(), 204],
    ['a spread answer', () => ({ ...text(200, 'x'), status: 202 }), 202],
  ])('that are answers are sent unchanged: %s', async (_, make, status) => {
    const handler = bind({ response: z.object({ never: z.string() }) }, (): never => make() as never);
    expect((await run(handler, contextOf())).status).toBe(status);
  });

  it('send a value with a member named status as a value', async () => {
    const response = await run(
      bind({}, () => ({ status: 404, body: 'x', headers: {} })),
      contextOf(),
    );
    expect([response.status, response.content]).toEqual([200, '{"status":404,"body":"x","headers":{}}']);
  });

  it('contain only members that the response schema has', async () => {
    const handler = bind({ response: z.object({ id: z.number() }) }, () => ({ id: 1, secret: 'x' }));
    expect((await run(handler, contextOf())).content).toBe('{"id":1}');
  });

  it('that break the response schema are 500, with the issues in the log only', async () => {
    const handler = bind({ response: z.object({ id: z.number() }) }, () => ({ id: 'x' }) as never);
    const error = await failure(handler, contextOf());
    expect(wire(error)).toEqual([500, 'app.internal', 'internal error', undefined]);
    expect(error.cause).toEqual(
      new TypeError(
        'framework: the answer does not fit its schema: id: Invalid input: expected number, received string',
      ),
    );
  });

  it('are written by a response field map: only its wire names and durations', async () => {
    const handler = bind(
      {
        response: {
          id: { type: 'int', rules: [required()] },
          ttl: { type: 'duration', name: 'time_to_live' },
          tags: { type: 'string', array: true },
          gone: { type: 'string' },
        },
      },
      () => ({ id: 1, ttl: 1500, tags: ['a'], gone: null, secret: 'x' }),
    );
    expect((await run(handler, contextOf())).content).toBe('{"id":1,"time_to_live":"PT1.5S","tags":["a"]}');
  });

  it('may be instances of classes, and may have names of Object.prototype', async () => {
    class Note {
      get id() {
        return 7;
      }
    }
    const handler = bind(
      { response: { id: { type: 'int' }, constructor: { type: 'string' }, toString: { type: 'string' } } },
      () => new Note() as never,
    );
    expect((await run(handler, contextOf())).content).toBe('{"id":7}');
  });

  it.each([
    [{ id: 'x' }, 'id: id must be int'],
    [{ id: 1, tags: 'a' }, 'tags: tags must be a list of string'],
    [{}, 'id: id is required'],
    [{ id: -1 }, 'id: id must be >= 0'],
    [null, ': response must be an object'],
  ])('that break a response field map are 500: %j', async (value, issue) => {
    const handler = bind(
      { response: { id: { type: 'int', rules: [required(), min(0)] }, tags: { type: 'string', array: true } } },
      () => value as never,
    );
    expect(await failure(handler, contextOf())).toMatchObject({
      code: 'app.internal',
      cause: { message: `framework: the answer does not fit its schema: ${issue}` },
    });
  });
});

describe('construction', () => {
  it('keeps the contract and the name', () => {
    const body = z.object({});
    async function createNote() {}
    const handler = bind({ body, status: 201 }, createNote);
    expect(handler.contract).toEqual({ body, status: 201 });
    expect(handler.contract.body).toBe(body);
    expect(Object.isFrozen(handler.contract)).toBe(true);
    expect(handler.name).toBe('createNote');
  });

  it.each([
    [{ bodyy: z.string() }, 'unknown option "bodyy"'],
    [{ body: 5 }, 'option "body"'],
    [{ body: { '~standard': { version: 2, validate() {} } } }, 'option "body"'],
    [{ query: { a: 5 } }, 'option "query.a"'],
    [{ query: { a: { type: 'date' } } }, 'option "query.a.type"'],
    [{ query: { a: { type: 'int', requird: true } } }, 'unknown option "query.a.requird"'],
    [{ query: { a: { type: 'int', name: ' ' } } }, 'option "query.a.name"'],
    [{ query: { a: { type: 'int', array: 1 } } }, 'option "query.a.array"'],
    [{ params: { a: { type: 'int', array: true } } }, 'option "params.a.array"'],
    [{ query: { a: { type: 'int', rules: min(1) } } }, 'option "query.a.rules"'],
    [{ query: { a: { type: 'string', rules: [min(1)] } } }, 'rule "min"'],
    [{ query: { a: { type: 'int', rules: [pattern('a')] } } }, 'rule "pattern"'],
    [{ query: { a: { type: 'int', rules: [minLength(1)] } } }, 'rule "minLength"'],
    [{ query: { a: { type: 'int', rules: [oneOf('1')] } } }, 'rule "oneOf"'],
    [{ query: { a: { type: 'bool', rules: [oneOf('true')] } } }, 'rule "oneOf"'],
    [{ query: { a: { type: 'int', rules: [{ rule: 'even' }] } } }, 'unknown rule "even"'],
    [{ query: { a: { type: 'string', rules: [{ rule: 'pattern', value: '(' }] } } }, 'rule "pattern"'],
    [{ query: { a: { type: 'int', rules: [{ rule: 'min', value: '1' }] } } }, 'rule "min"'],
    [{ query: { a: { type: 'int', rules: [{ rule: 'oneOf' }] } } }, 'rule "oneOf"'],
    [{ query: { a: { type: 'int', rules: [null] } } }, 'unknown rule "undefined"'],
    [{ status: 99 }, 'option "status"'],
    [{ queryArrays: 'a' }, 'option "queryArrays"'],
    [{ queryArrays: ['a'], query: { a: { type: 'int' } } }, '"queryArrays"'],
    [{ bodyOptional: 'yes' }, 'option "bodyOptional"'],
    [undefined, 'options'],
    [null, 'options'],
  ])('rejects %j', (spec, message) => {
    expect(() => bind(spec as never, () => null)).toThrow(expect.failure('app.invalid_configuration', message));
  });

  it('rejects a handler that is not a function', () => {
    expect(() => bind({}, undefined as never)).toThrow(expect.failure('app.invalid_configuration', 'option "handler"'));
  });

  it.each([
    [() => min(Number.NaN), 'rule "min"'],
    [() => maxLength(-1), 'rule "maxLength"'],
    [() => pattern(/a/g), 'rule "pattern"'],
    [() => pattern(5 as never), 'rule "pattern"'],
    [() => pattern('('), 'rule "pattern"'],
    [() => oneOf(), 'rule "oneOf"'],
  ])('rejects a rule that means nothing: %s', (make, message) => {
    expect(make).toThrow(expect.failure('app.invalid_configuration', message));
  });
});
