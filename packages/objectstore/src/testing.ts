export { type ConformanceCase, type ObjectStoreHarness, objectStoreConformance } from './testing/conformance.js';
export {
  createFakeObjectStore,
  type FailNextOptions,
  type FakeCall,
  type FakeObjectStore,
  type FakeObjectStoreOptions,
} from './testing/fake.js';
