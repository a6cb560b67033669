import { Validator } from '@cfworker/json-schema';
import {
  bind,
  createHttpRouter,
  type FieldSpec,
  max,
  maxLength,
  min,
  minLength,
  noContent,
  oneOf,
  pattern,
  required,
  serveRequest,
} from '../src/index.js';
import { generateOpenAPI } from '../src/openapi.js';

interface Operation {
  readonly requestBody: { readonly content: { readonly 'application/json': { readonly schema: object } } };
}

/** The results of the binding and of the generated document for a body with (or without) the field `f`. */
async function verdicts(field: FieldSpec, body: object): Promise<{ check: boolean; document: boolean }> {
  const handler = bind({ body: { f: field } }, () => noContent());
  const route = { method: 'POST', path: '/x', operationId: 'x', contract: handler.contract };
  const { paths } = generateOpenAPI({ title: 't', version: '1', routes: [route] });
  const { '/x': path } = paths as unknown as { '/x': { post: Operation } };
  const validator = new Validator(path.post.requestBody.content['application/json'].schema, '2020-12');
  const { status } = await serveRequest(createHttpRouter().post('/x', handler), {
    method: 'POST',
    path: '/x',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { check: status === 204, document: validator.validate(body).valid };
}

const text: FieldSpec = { type: 'string' };
const list: FieldSpec = { type: 'string', array: true };
const int: FieldSpec = { type: 'int' };

describe('a rule and the document that is written from it agree on', () => {
  it.each<[name: string, field: FieldSpec, body: object, accepted: boolean]>([
    ['required, absent', { ...text, rules: [required()] }, {}, false],
    ['required, null', { ...text, rules: [required()] }, { f: null }, false],
    ['required, empty text', { ...text, rules: [required()] }, { f: '' }, true],
    ['required, empty list', { ...list, rules: [required()] }, { f: [] }, true],
    ['required, zero', { ...int, rules: [required()] }, { f: 0 }, true],
    ['required, false', { type: 'bool', rules: [required()] }, { f: false }, true],
    ['no rule, absent', text, {}, true],
    ['no rule, another type', text, { f: 1 }, false],
    ['no rule, text for a number', int, { f: '1' }, false],
    ['no rule, a fraction for an integer', int, { f: 1.5 }, false],
    ['no rule, one value for a list', list, { f: 'a' }, false],
    ['no rule, another type in a list', list, { f: ['a', 1] }, false],
    ['minLength, absent', { ...text, rules: [minLength(1)] }, {}, true],
    ['minLength, empty', { ...text, rules: [minLength(1)] }, { f: '' }, false],
    ['minLength, at it', { ...text, rules: [minLength(1)] }, { f: 'a' }, true],
    ['minLength, characters and not code units', { ...text, rules: [minLength(2)] }, { f: '😀' }, false],
    ['maxLength, at it', { ...text, rules: [maxLength(1)] }, { f: '😀' }, true],
    ['maxLength, over it', { ...text, rules: [maxLength(1)] }, { f: 'ab' }, false],
    ['minLength of a list, empty', { ...list, rules: [minLength(1)] }, { f: [] }, false],
    ['minLength of a list, entries and not characters', { ...list, rules: [minLength(1)] }, { f: [''] }, true],
    ['maxLength of a list, over it', { ...list, rules: [maxLength(1)] }, { f: ['a', 'b'] }, false],
    ['min, below', { ...int, rules: [min(1)] }, { f: 0 }, false],
    ['min, at it', { ...int, rules: [min(1)] }, { f: 1 }, true],
    ['max, at it', { type: 'float', rules: [max(1.5)] }, { f: 1.5 }, true],
    ['max, above', { type: 'float', rules: [max(1.5)] }, { f: 1.6 }, false],
    ['min of a list, one below', { type: 'int', array: true, rules: [min(1)] }, { f: [1, 0] }, false],
    ['pattern, somewhere in the text', { ...text, rules: [pattern('b')] }, { f: 'abc' }, true],
    ['pattern, nowhere', { ...text, rules: [pattern('^b')] }, { f: 'abc' }, false],
    ['pattern with Unicode properties', { ...text, rules: [pattern(/^\p{Lu}$/u)] }, { f: 'É' }, true],
    ['pattern of a list, one without', { ...list, rules: [pattern('^b')] }, { f: ['b', 'a'] }, false],
    ['oneOf, in it', { ...text, rules: [oneOf('a', 'b')] }, { f: 'b' }, true],
    ['oneOf, not in it', { ...text, rules: [oneOf('a', 'b')] }, { f: 'B' }, false],
    ['oneOf of numbers, not in it', { ...int, rules: [oneOf(1, 2)] }, { f: 3 }, false],
    ['oneOf of a list, one not in it', { ...list, rules: [oneOf('a')] }, { f: ['a', 'b'] }, false],
    ['several rules, one broken', { ...text, rules: [required(), minLength(1), maxLength(2)] }, { f: 'abc' }, false],
    ['a duration', { type: 'duration' }, { f: 'PT1S' }, true],
    ['no duration', { type: 'duration' }, { f: 'soon' }, false],
  ])('%s', async (_name, field, body, accepted) => {
    expect(await verdicts(field, body)).toEqual({ check: accepted, document: accepted });
  });
});

describe('the document is narrower than the check where the check is lenient', () => {
  it.each<[name: string, field: FieldSpec, body: object]>([
    ['null for a field that nobody requires', text, { f: null }],
    ['a name that no field has', text, { g: 1 }],
    ['a duration in short form', { type: 'duration' }, { f: '250ms' }],
  ])('%s', async (_name, field, body) => {
    expect(await verdicts(field, body)).toEqual({ check: true, document: false });
  });
});

describe('the document is wider than the check where JSON Schema has no words', () => {
  it.each<[name: string, field: FieldSpec]>([
    ['min of a duration', { type: 'duration', rules: [min(2_000)] }],
    ['max of a duration', { type: 'duration', rules: [max(500)] }],
    ['oneOf of a duration', { type: 'duration', rules: [oneOf(2_000)] }],
  ])('%s', async (_name, field) => {
    expect(await verdicts(field, { f: 'PT1S' })).toEqual({ check: false, document: true });
  });
});

it('a required query parameter can be empty', async () => {
  const handler = bind({ query: { q: { type: 'string', rules: [required()] } } }, (_ctx, { query }) => query);
  const router = createHttpRouter().get('/x', handler);
  const statusOf = async (path: string) => (await serveRequest(router, { method: 'GET', path })).status;
  expect([await statusOf('/x?q='), await statusOf('/x?q'), await statusOf('/x')]).toEqual([200, 200, 422]);
});

it('uses wire names of fields and snake_case for rules', async () => {
  const handler = bind(
    {
      query: { pageSize: { type: 'int', name: 'page-size', rules: [required()] } },
      headers: { apiVersion: { type: 'string', name: 'X-Api-Version', rules: [minLength(3)] } },
      body: {
        firstName: { type: 'string', name: 'first_name', rules: [maxLength(1)] },
        colour: { type: 'string', name: 'color', rules: [oneOf('red')] },
      },
    },
    () => null,
  );
  const { status, body } = await serveRequest(createHttpRouter().post('/x', handler), {
    method: 'POST',
    path: '/x',
    headers: { 'content-type': 'application/json', 'x-api-version': '1' },
    body: '{"first_name":"ab","color":"blue"}',
  });
  expect(status).toBe(422);
  expect(JSON.parse(Buffer.from(body).toString()).error.details).toEqual({
    errors: [
      { source: 'query', field: 'page-size', rule: 'required', message: 'page-size is required' },
      { source: 'headers', field: 'x-api-version', rule: 'min_length', message: 'x-api-version length must be >= 3' },
      { source: 'body', field: 'first_name', rule: 'max_length', message: 'first_name length must be <= 1' },
      { source: 'body', field: 'color', rule: 'one_of', message: 'color must be one of red' },
    ],
  });
});
