// Made from kinds/authorizer-token.ts by `npm run docs`; the gate `pages` fails when the two differ. Do not edit.
export type { EventContext, EventHandler } from '@sallyport/streams/delivery';
export {
  type AllowOptions,
  AuthorizerAnswer,
  type AuthorizerPolicy,
  type AuthorizerRequest,
  type AuthorizerValues,
  allow,
  type DenyOptions,
  deny,
  type RequestAuthorizer,
  type RequestAuthorizerOptions,
  requestAuthorizer,
  type SimpleAuthorizerAnswer,
  TokenAuthorizer,
  type TokenAuthorizerOptions,
  type TokenRequest,
  tokenAuthorizer,
  unauthorized,
} from './kinds/authorizer-token.js';
