/** AppSync APIs whose fields a function resolves. */
export { GraphqlApi, type GraphqlApiProps, type GraphqlField, GraphqlResolvers } from './graphql/graphql-api.js';
