/** The registry of one process, for tests and local runs. */
export {
  createMemoryGroupedRegistry,
  type MemoryGroupedRegistryOptions,
} from './registry/memory-registry.js';
