import type { DistanceMetric, Store, VectorRecordInput } from '../store/store.js';

/** The options of a store in the suite. */
export interface ConformanceStoreOptions {
  /** Number of dimensions of each vector. */
  readonly dimension: number;
  /** The distance metric. */
  readonly metric: DistanceMetric;
  /** Metadata keys that every record must have. */
  readonly requiredMetadata: readonly string[];
  /** Metadata keys that filters cannot use. */
  readonly nonFilterableKeys: readonly string[];
}

/** Creates the stores for the suite. */
export interface VectorStoreHarness {
  /** An empty store with these options. */
  create(options: ConformanceStoreOptions): Promise<Store>;
}

/** One required behaviour of a store. */
export interface ConformanceCase {
  /** The behaviour, as a sentence. */
  readonly name: string;
  /** Throws an `AssertionError` if the store behaves otherwise. */
  run(): Promise<void>;
}

/** The argument of a case. */
export interface Bench {
  /** An empty store. Default: three dimensions and the cosine metric. */
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
