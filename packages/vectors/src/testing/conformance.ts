import type { ConformanceCase, VectorStoreHarness } from './harness.js';
import { toCases } from './harness.js';
import { QUERY_CASES } from './internal/query-cases.js';
import { RECORD_CASES } from './internal/record-cases.js';
import { REFUSAL_CASES } from './internal/refusal-cases.js';

/**
 * The behaviour of `Store`, for any implementation and any test runner.
 *
 * @example it.each(vectorStoreConformance(harness))('$name', ({ run }) => run());
 */
export function vectorStoreConformance(harness: VectorStoreHarness): readonly ConformanceCase[] {
  return toCases(harness, [...RECORD_CASES, ...QUERY_CASES, ...REFUSAL_CASES]);
}
