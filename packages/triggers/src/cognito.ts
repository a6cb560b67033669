// Made from kinds/cognito.ts by `npm run docs`; the gate `pages` fails when the two differ. Do not edit.
export type { EventContext, EventHandler } from '@sallyport/streams/delivery';
export { type CognitoEvent, type CognitoHandler, CognitoTrigger, cognitoTrigger } from './kinds/cognito.js';
