// Bundles functions for a deployment, optionally with a start cache.
export {
  BUNDLE_OPTIONS,
  type Bundle,
  type BundleOptions,
  bundleFunction,
} from './bundle/bundle-function.js';
export type { BundleWarning } from './bundle/warning.js';
export { lambdaFlags } from './cache/flags.js';
export type { StartCache } from './cache/internal/make-caches.js';
export type { BundleInventory, BundleRoute, BundleTrigger, LoadedApplication } from './cache/inventory.js';
export { START_CACHE_OPTIONS, type StartCacheOptions } from './cache/start-cache.js';
export { verifyBundle } from './cache/verify.js';
export { type DescribedEntry, describeEntry, type EntryToDescribe } from './describe/describe-entry.js';
export type { BundleErrorCode } from './errors.js';
export { OPTIONAL_PARTS, type OptionalPart } from './leave-out/parts.js';
export { startCachePlugin } from './plugin/start-cache-plugin.js';
