/** AppSync APIs whose fields a function resolves. */
export {
  type EventChannel,
  EventChannels,
  type EventChannelsMappingProps,
  type EventChannelsProps,
} from './graphql/event-channels.js';
export { GraphqlApi, type GraphqlApiProps, type GraphqlField, GraphqlResolvers } from './graphql/graphql-api.js';
