// Made from kinds/appsync-authorizer.ts by `npm run docs`; the gate `pages` fails when the two differ. Do not edit.
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
