import { readFileSync } from 'node:fs';
import type { GraphQLSchema } from 'graphql';

/** Scalars that only AppSync defines. */
const SCALARS = [
  'AWSDate',
  'AWSTime',
  'AWSDateTime',
  'AWSTimestamp',
  'AWSEmail',
  'AWSJSON',
  'AWSURL',
  'AWSPhone',
  'AWSIPAddress',
];
const DIRECTIVES: readonly (readonly [name: string, args: string])[] = [
  ['aws_api_key', ''],
  ['aws_iam', ''],
  ['aws_oidc', ''],
  ['aws_lambda', ''],
  ['aws_cognito_user_pools', '(cognito_groups: [String])'],
  ['aws_auth', '(cognito_groups: [String])'],
  ['aws_subscribe', '(mutations: [String])'],
  ['aws_publish', '(subscriptions: [String])'],
];

export type GraphQL = typeof import('graphql');

/** A schema, and the module that has read it. */
export interface LoadedSchema {
  readonly graphql: GraphQL;
  readonly schema: GraphQLSchema;
}

/**
 * Reads the schema of an AppSync API, and loads `graphql` for it.
 *
 * @throws Error of `graphql` for a schema that it rejects
 */
export async function loadSchema(file: string): Promise<LoadedSchema> {
  const graphql = await import('graphql');
  const text = readFileSync(file, 'utf8');
  const scalars = SCALARS.filter((name) => !new RegExp(`scalar\\s+${name}\\b`).test(text)).map(
    (name) => `scalar ${name}`,
  );
  const directives = DIRECTIVES.filter(([name]) => !new RegExp(`directive\\s+@${name}\\b`).test(text)).map(
    ([name, args]) => `directive @${name}${args} on FIELD_DEFINITION | OBJECT`,
  );
  return { graphql, schema: graphql.buildSchema([text, ...scalars, ...directives].join('\n')) };
}
