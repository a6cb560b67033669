export type { EventContext, EventHandler } from '@sallyport/streams/delivery';
export {
  buildInvocation,
  DirectInvoke,
  type DirectInvokeOptions,
  directInvoke,
  type InvocationPayload,
  type InvokeOptions,
} from './sources/invoke.js';
