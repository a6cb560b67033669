export type { EventContext, EventHandler } from '@sallyport/streams/delivery';
export {
  buildInvocation,
  DirectInvoke,
  type DirectInvokeOptions,
  directInvoke,
  type InvocationPayload,
  type InvokeOptions,
} from './kinds/invoke.js';
