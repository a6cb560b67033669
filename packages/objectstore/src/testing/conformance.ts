import { randomUUID } from 'node:crypto';
import type { ObjectStore } from '../store/store.js';
import type { CaseDefinition } from './internal/bench.js';
import { READ_CASES } from './internal/read-cases.js';
import { REFUSAL_CASES } from './internal/refusal-cases.js';
import { VERSION_CASES } from './internal/version-cases.js';
import { WRITE_CASES } from './internal/write-cases.js';

/** Creates the stores for the suite. */
export interface ObjectStoreHarness {
  /** Creates a store, and a bucket without other writers. */
  create(options: { readonly versioning: 'enabled' | 'off' }): Promise<{
    readonly store: ObjectStore;
    readonly bucket: string;
  }>;
}

/** One behaviour that every store must have. */
export interface ConformanceCase {
  /** The behaviour, as a sentence. */
  readonly name: string;
  /** Throws an `AssertionError` if the behaviour differs. */
  run(): Promise<void>;
}

const CASES: readonly CaseDefinition[] = [...WRITE_CASES, ...READ_CASES, ...VERSION_CASES, ...REFUSAL_CASES];

/**
 * Returns test cases for the behaviour of an `ObjectStore`, for any implementation and any test runner.
 *
 * @example it.each(objectStoreConformance(harness))('$name', ({ run }) => run());
 */
export function objectStoreConformance(harness: ObjectStoreHarness): readonly ConformanceCase[] {
  return CASES.map(({ name, versioning = 'off' as const, run }) => ({
    name,
    async run() {
      const { store, bucket } = await harness.create({ versioning });
      await run({ store, ref: (key = `${randomUUID()}.txt`) => ({ bucket, key }) });
    },
  }));
}
