/** Fakes, the suite that every controller passes, and the search for leaks. Never reachable from the root entry. */
export {
  createMemoryMicrovmRegistry,
  type MemoryMicrovmRegistry,
  type MemoryMicrovmRegistryOptions,
} from './registry/memory-registry.js';
export {
  type HarnessFailure,
  type MicrovmConformanceCase,
  type MicrovmHarness,
  type MicrovmSetup,
  microvmConformance,
  type ProgramAnswer,
  type ProgramRequest,
} from './testing/conformance.js';
export {
  createFakeMicrovmProvider,
  type FakeCall,
  type FakeFailure,
  type FakeMicrovmProvider,
  type FakeMicrovmProviderOptions,
  type FakeWorkload,
  type WorkloadRequest,
} from './testing/fake-provider.js';
export { type Leak, type LeakScanOptions, scanForLeaks } from './testing/scan.js';
