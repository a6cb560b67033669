export type { EventContext, EventHandler } from '@sallyport/streams/delivery';
export {
  type AuthorizerAnswer,
  type AuthorizerPolicy,
  type AuthorizerRequest,
  type AuthorizerValues,
  allow,
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
} from './sources/authorizer.js';
