export { type Bundle, type BundleOptions, bundleFunction } from './bundle.js';
export type { InvocationOptions, InvocationResult, Outcome } from './invocation.js';
export type { InitError } from './invocation-queue.js';
export { type RicVersion, type Runtime, type RuntimeOptions, startRuntime } from './runtime.js';
