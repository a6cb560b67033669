export type { EventContext, EventHandler } from '@sallyport/streams/delivery';
export {
  type AppSyncAllowance,
  AppSyncAuthorizer,
  type AppSyncAuthorizerAnswer,
  type AppSyncAuthorizerRequest,
  AppSyncDecision,
  allow,
  appSyncAuthorizer,
  deny,
} from './sources/appsync-authorizer.js';
