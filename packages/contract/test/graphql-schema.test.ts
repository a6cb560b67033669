import { compareGraphqlSchema, type JsonSchema } from '../src/service.js';
import { contractOf, object } from './support/contracts.js';

const text = { type: 'string' };
const whole = { type: 'integer' };
const at = { function: 'src/lambda.ts' };

const FILE = `
"""The notes { of a user }"""
schema { query: Query mutation: Mutation }
directive @auth(rules: [String!] = ["a"]) on FIELD_DEFINITION
scalar Color
union Found = Note | Person
enum Kind { text list @deprecated(reason: "no { more") }
interface Node { id: ID! }
type Note implements Node & Named @auth(rules: ["b"]) {
  id: ID!
  "the title" title: String! # not empty
  kind: Kind
  author(full: Boolean = true): Person
  parent: Note
}
type Empty
type Person { name: String }
input NewNote { title: String!, tags: [String!] = ["a", "b"], color: Color }
type Query {
  note(id: ID!, size: Int): Note
  notes(limit: Int = 10): [Note!]!
  other: Found
}
extend type Query { count: Int! }
type Mutation { add(note: NewNote!): Note! @auth }
`;

const note = object({ id: text, title: text, 'kind?': { enum: ['text', 'list'] } });
const compare = (field: Readonly<Record<string, readonly [args: JsonSchema, result: JsonSchema]>>, file = FILE) => {
  const entries = Object.entries(field).map(([name, [input, output]]) => [name, { ...at, input, output }]);
  const contract = contractOf({ field: Object.fromEntries(entries), schemas: { Note: note } });
  return compareGraphqlSchema(contract, file).map(({ level, field: name, problem }) => `${level} ${name} ${problem}`);
};

test('all differences are found in one run: missing fields and types, other arguments and results, unserved fields', () => {
  const found = compare({
    'Query.note': [object({ id: whole, 'size?': text }), object({ id: text, title: whole })],
    'Query.gone': [object({}), {}],
    'Gone.field': [object({}), {}],
    'Mutation.add': [object({ note: object({ title: text, by: text }) }), { $ref: '#/schemas/Note' }],
  });
  expect(found).toEqual([
    'differs Gone.field the schema file has no type Gone',
    'differs Mutation.add args.note.by: absent in the schema file, required in the resolver',
    'differs Query.gone the schema file has no field gone in Query',
    'differs Query.note args.id: string in the schema file, integer in the resolver',
    'differs Query.note args.size: integer in the schema file, string in the resolver',
    'differs Query.note result.title: string in the schema file, integer in the resolver',
    'unserved Query.notes no function registers it',
    'unserved Query.other no function registers it',
    'unserved Query.count no function registers it',
  ]);
});

/** The differences of a field alone, without fields that are not served. */
const of = (name: string, args: JsonSchema, result: JsonSchema) =>
  compare({ [name]: [args, result] }).filter((one) => one.startsWith('differs'));

test.each([
  [
    'equal types, also of a type that refers to itself',
    'Query.note',
    object({ id: text }),
    { anyOf: [note, { type: 'null' }] },
  ],
  [
    'an argument with a default that the resolver needs',
    'Query.notes',
    object({ limit: whole }),
    { type: 'array', items: note },
  ],
  [
    'narrower strings and bounds',
    'Query.note',
    object({ id: { ...text, format: 'uuid' }, 'size?': { ...whole, minimum: 1 } }),
    note,
  ],
  ['a resolver that accepts some strings', 'Query.note', object({ id: { enum: ['a', 'b'] } }), note],
  [
    'a whole number as ID, and a member that the file does not have',
    'Query.note',
    object({ id: text }),
    object({ id: whole, title: text, extra: text }),
  ],
  [
    'a scalar that is not known',
    'Mutation.add',
    object({ note: object({ title: text, 'color?': { type: 'object' } }) }),
    note,
  ],
  ['a resolver without schemas', 'Query.count', {}, {}],
])('accepts %s', (_, field, args, result) => {
  expect(of(field, args, result)).toEqual([]);
});

test.each([
  [
    'Query.note',
    object({ id: text, size: whole }),
    note,
    'args.size: optional in the schema file, required in the resolver',
  ],
  ['Query.count', object({}), { type: 'number' }, 'result: integer in the schema file, number in the resolver'],
  [
    'Query.count',
    object({}),
    { type: ['integer', 'null'] },
    'result: integer in the schema file, null in the resolver',
  ],
  [
    'Query.notes',
    object({}),
    { type: 'array', items: object({ id: text }) },
    'result[].title: required in the schema file, absent in the resolver',
  ],
  [
    'Query.note',
    object({ id: text }, { additionalProperties: false }),
    note,
    'args.size: present in the schema file, not allowed in the resolver',
  ],
])('reports other types of %s (%#)', (field, args, result, problem) => {
  expect(of(field, args, result)).toEqual([`differs ${field} ${problem}`]);
});

test('a field with a separate resolver is not part of the result of its parent', () => {
  const file = 'type Query { note: Note } type Note { id: ID! author: Person! } type Person { name: String }';
  const fields = { 'Query.note': [object({}), object({ id: text })] } as const;
  expect(compare(fields, file)).toEqual([
    'differs Query.note result.author: required in the schema file, absent in the resolver',
  ]);
  expect(compare({ ...fields, 'Note.author': [object({}), object({ 'name?': text })] }, file)).toEqual([]);
});
