/** Messages for wrong fields and schemas of `bind`: each names the place and the accepted values. */
import { bind } from '@sallyport/http';

it.each<[what: string, contract: object, text: string]>([
  [
    'the name of a type as field',
    { body: { name: 'string' } },
    'option "body.name" must be an object with type, name, array, rules',
  ],
  [
    'an unknown type',
    { body: { name: { type: 'text' } } },
    'option "body.name.type" must be "string", "int", "float", "bool" or "duration"',
  ],
  ['a field without a type', { query: { page: {} } }, 'option "query.page.type" must be "string", "int"'],
  [
    'a rule as member of a field',
    { body: { name: { type: 'string', min: 3 } } },
    'unknown option "body.name.min"; known are type, name, array, rules',
  ],
  [
    'a JSON Schema',
    { body: { type: 'object', properties: {} } },
    'option "body" must be a Standard Schema (version 1) or a map of fields, not a JSON Schema',
  ],
  ['a number', { body: 5 }, 'option "body" must be a Standard Schema (version 1) or a map of fields'],
])('%s', (_what, contract, text) => {
  expect(() => bind(contract as never, () => ({}))).toThrow(expect.failure('app.invalid_configuration', text));
});
