// Made from kinds/invoke.ts by `npm run docs`; the gate `pages` fails when the two differ. Do not edit.
export type { EventContext, EventHandler } from '@sallyport/streams/delivery';
export {
  buildInvocation,
  DirectInvoke,
  type DirectInvokeOptions,
  directInvoke,
  type InvocationPayload,
  type InvokeOptions,
} from './kinds/invoke.js';
