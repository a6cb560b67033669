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
} from './kinds/appsync-authorizer.js';
