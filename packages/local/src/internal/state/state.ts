import type { BucketView, TableView } from '../console/api.js';

/** The tables and buckets of a run. */
export interface State {
  /** `on`, or why it is off and what to do: `off: DynamoDB Local needs Java 17 (…)`. */
  status(): string;
  /** True if tables can be used: `$tables` of the settings. */
  hasTables(): boolean;
  /** Address of DynamoDB, once it is up; rejects with the status while it is off. Calls are held until then. */
  dynamodb(): Promise<string>;
  tables(): Promise<readonly TableView[]>;
  items(table: string, start?: string): Promise<{ readonly items: readonly unknown[]; readonly next: string | null }>;
  buckets(): Promise<readonly BucketView[]>;
  /** Empties tables and buckets. */
  reset(): Promise<void>;
}
