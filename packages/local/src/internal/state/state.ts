import type { BucketView, TableView } from '../console/api.js';

/** The tables and buckets of a run. */
export interface State {
  /** `on`, or the reason why it is off and the remedy: `off: DynamoDB Local needs Java 17 (…)`. */
  status(): string;
  /** True if tables are available: the value of `$tables` in the settings. */
  hasTables(): boolean;
  /** Address of DynamoDB. Resolves when the engine is ready, and rejects with the status while it is off. */
  dynamodb(): Promise<string>;
  tables(): Promise<readonly TableView[]>;
  items(table: string, start?: string): Promise<{ readonly items: readonly unknown[]; readonly next: string | null }>;
  buckets(): Promise<readonly BucketView[]>;
  /** Empties tables and buckets. */
  reset(): Promise<void>;
}
