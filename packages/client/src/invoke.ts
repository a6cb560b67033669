export { type InvokeOptions, type LambdaInvoker, throughInvoke } from './transports/through-invoke.js';
