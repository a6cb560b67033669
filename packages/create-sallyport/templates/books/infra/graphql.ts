import { CfnOutput, type Stack } from 'aws-cdk-lib';
import {
  type AuthorizationMode,
  AuthorizationType,
  Code,
  Definition,
  FunctionRuntime,
  GraphqlApi,
} from 'aws-cdk-lib/aws-appsync';
import type { Function as ServiceFunction } from 'aws-cdk-lib/aws-lambda';

const FIELDS = [
  ['Query', 'book'],
  ['Mutation', 'renameBook'],
] as const;

/** The GraphQL API in front of the function. It accepts tokens of the issuer, or, until an issuer is configured, only callers with IAM permissions. */
export function addGraphql(stack: Stack, service: ServiceFunction): void {
  const api = new GraphqlApi(stack, 'Graphql', {
    name: stack.stackName,
    definition: Definition.fromFile('src/schema.graphql'),
    authorizationConfig: { defaultAuthorization: authorization(process.env) },
  });
  const source = api.addLambdaDataSource('Fields', service);
  for (const [typeName, fieldName] of FIELDS) {
    source.createResolver(`${typeName}-${fieldName}`, {
      typeName,
      fieldName,
      code: Code.fromAsset('infra/resolver.js'),
      runtime: FunctionRuntime.JS_1_0_0,
    });
  }
  new CfnOutput(stack, 'GraphqlUrl', { value: api.graphqlUrl });
}

function authorization({ JWT_ISSUER, JWT_AUDIENCE }: NodeJS.ProcessEnv): AuthorizationMode {
  if (!JWT_ISSUER || !JWT_AUDIENCE) return { authorizationType: AuthorizationType.IAM };
  // AppSync interprets the client id as a regular expression.
  const clientId = `^${JWT_AUDIENCE.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`;
  return { authorizationType: AuthorizationType.OIDC, openIdConnectConfig: { oidcProvider: JWT_ISSUER, clientId } };
}
