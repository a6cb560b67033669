/** Fakes, the suite that every controller passes, and the search for leaks. Never reachable from the root entry. */
export {
  createMemoryMicrovmRegistry,
  type MemoryMicrovmRegistry,
  type MemoryMicrovmRegistryOptions,
} from './registry/memory-registry.js';
export { type MicrovmConformanceCase, microvmConformance } from './testing/conformance.js';
export {
  createFakeMicrovmProvider,
  type FakeCall,
  type FakeFailure,
  type FakeMicrovmProvider,
  type FakeMicrovmProviderOptions,
  type FakeWorkload,
  type WorkloadRequest,
} from './testing/fake-provider.js';
export type {
  HarnessFailure,
  MicrovmHarness,
  MicrovmSetup,
  ProgramAnswer,
  ProgramRequest,
} from './testing/harness.js';
export { type Leak, type LeakScanOptions, scanForLeaks } from './testing/scan.js';
