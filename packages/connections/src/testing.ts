/** The conformance suite for registries with groups. */
export {
  type ConnectionConformanceCase,
  type ConnectionHarness,
  connectionConformance,
} from './testing/conformance.js';
