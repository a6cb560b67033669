import type { DistanceMetric, Store, VectorRecordInput } from '../store/store.js';

/** The options of a store in the suite. */
export interface ConformanceStoreOptions {
  /** Number of dimensions of each vector. */
  readonly dimension: number;
  /** How distances are measured. */
  readonly metric: DistanceMetric;
  /** Metadata keys that every record must have. */
  readonly requiredMetadata: readonly string[];
  /** Metadata keys that filters cannot see. */
  readonly nonFilterableKeys: readonly string[];
}

/** Makes the stores for the suite. */
export interface VectorStoreHarness {
  /** An empty store with these options. */
  create(options: ConformanceStoreOptions): Promise<Store>;
}

/** One behaviour that every store must show. */
export interface ConformanceCase {
  /** The behaviour, as a sentence. */
  readonly name: string;
  /** Throws an `AssertionError` when the store behaves otherwise. */
  run(): Promise<void>;
}

/** The argument of a case. */
export interface Bench {
  /** An empty store; three dimensions and the cosine without options. */
  store(options?: Partial<ConformanceStoreOptions>): Promise<Store>;
  /** A store with these records. */
  filled(records: readonly VectorRecordInput[], options?: Partial<ConformanceStoreOptions>): Promise<Store>;
}

export interface CaseDefinition {
  readonly name: string;
  run(bench: Bench): Promise<void>;
}

const DEFAULTS: ConformanceStoreOptions = {
  dimension: 3,
  metric: 'cosine',
  requiredMetadata: [],
  nonFilterableKeys: [],
};

/** The cases for stores of a harness. */
export function toCases(
  harness: VectorStoreHarness,
  definitions: readonly CaseDefinition[],
): readonly ConformanceCase[] {
  const store: Bench['store'] = (options = {}) => harness.create({ ...DEFAULTS, ...options });
  const filled: Bench['filled'] = async (records, options) => {
    const made = await store(options);
    await made.put({ records });
    return made;
  };
  return definitions.map(({ name, run }) => ({ name, run: () => run({ store, filled }) }));
}
