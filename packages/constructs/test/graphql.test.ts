import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { GraphqlApi, type GraphqlApiProps, GraphqlResolvers } from '../src/index.js';
import { newFolder } from './support/folders.js';
import { newFn } from './support/function.js';
import { newStack, propertiesOf, statementsOf, templateOf } from './support/synth.js';

const schemaFile = join(newFolder(), 'schema.graphql');
writeFileSync(
  schemaFile,
  `# type Comment { nothing: String }
"""The notes. type Quoted { no: String }"""
type Note @aws_iam { id: ID!, title: String  author(short: Boolean = true): Author }
type Author { name: String! }
type Query { "one note { }" note(id: ID!): Note  type: String }
extend type Query { notes(first: Int, after: String): [Note!]! }
input NoteInput { title: String! }
schema { query: Query }
`,
);

function make(props: Partial<GraphqlApiProps> = {}) {
  const stack = newStack();
  const api = new GraphqlApi(stack, 'Api', { fn: newFn(stack), schemaFile, ...props });
  return { stack, api };
}

it('has IAM, tracing, a log of errors, and a source that may call the function only', () => {
  const { stack, api } = make();
  api.addField({ parentType: 'Query', field: 'note' });
  const template = templateOf(stack);
  expect(propertiesOf(template, 'AWS::AppSync::GraphQLApi')).toMatchObject([
    {
      AuthenticationType: 'AWS_IAM',
      XrayEnabled: true,
      LogConfig: { FieldLogLevel: 'ERROR', ExcludeVerboseContent: true },
    },
  ]);
  expect(statementsOf(template).map(({ Action }) => Action)).toEqual([
    ['logs:CreateLogStream', 'logs:PutLogEvents'],
    'lambda:InvokeFunction',
  ]);
  expect(propertiesOf(template, 'AWS::IAM::Role').filter((role) => 'ManagedPolicyArns' in role)).toHaveLength(1);
  expect(propertiesOf(template, 'AWS::Lambda::Function')).toHaveLength(1);
});

it('creates a response function for every resolver, which turns the error object into an error', () => {
  const { stack, api } = make();
  api.addField({ parentType: 'Query', field: 'note' });
  api.addField({ parentType: 'Note', field: 'author', batch: true });
  const [note, author] = propertiesOf(templateOf(stack), 'AWS::AppSync::Resolver');
  expect(note).toMatchObject({ TypeName: 'Query', FieldName: 'note', Runtime: { Name: 'APPSYNC_JS' } });
  expect(note?.Code).toContain("operation: 'Invoke'");
  expect(note?.Code).toContain('ctx.result.framework_error === true');
  expect(author).toMatchObject({ TypeName: 'Note', MaxBatchSize: 10 });
  expect(author?.Code).toContain("operation: 'BatchInvoke'");
});

it('has direct resolvers for applications that throw', () => {
  const { stack, api } = make({ resolvers: GraphqlResolvers.DIRECT_ERROR_MODE_THROW });
  api.addField({ parentType: 'Query', field: 'notes' });
  expect(propertiesOf(templateOf(stack), 'AWS::AppSync::Resolver')[0]).not.toHaveProperty('Code');
});

it.each([
  ['a field that is not there', 'Query', 'Note'],
  ['a field of an input', 'NoteInput', 'title'],
  ['an argument', 'Query', 'id'],
  ['a type in a comment', 'Comment', 'nothing'],
  ['a type in a description', 'Quoted', 'no'],
])('rejects %s', (_name, parentType, field) => {
  const { api } = make();
  expect(() => api.addField({ parentType, field })).toThrow(
    expect.objectContaining({ message: expect.stringContaining(`field ${parentType}.${field} is not in the schema`) }),
  );
});

it('finds fields of all types, extensions included', () => {
  const { stack, api } = make({ maxBatchSize: 5 });
  const fields = ['Note.id', 'Note.title', 'Note.author', 'Author.name', 'Query.note', 'Query.type', 'Query.notes'];
  for (const id of fields) {
    const [parentType = '', field = ''] = id.split('.');
    api.addField({ parentType, field });
  }
  const resolvers = propertiesOf(templateOf(stack), 'AWS::AppSync::Resolver');
  expect(resolvers.map(({ MaxBatchSize }) => MaxBatchSize)).toEqual(fields.map(() => 5));
});

it('rejects a schema file that cannot be read', () => {
  expect(() => make({ schemaFile: '/nowhere/schema.graphql' })).toThrow(/schemaFile cannot be read/);
});
