export type { EventContext, EventHandler } from '@sallyport/streams/delivery';
export { type CognitoEvent, type CognitoHandler, CognitoTrigger, cognitoTrigger } from './kinds/cognito.js';
