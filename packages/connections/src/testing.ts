/** The suite that every registry with groups passes. */
export {
  type ConnectionConformanceCase,
  type ConnectionHarness,
  connectionConformance,
} from './testing/conformance.js';
