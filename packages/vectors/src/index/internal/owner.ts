import { invalidConfig, invalidInput, type VectorStoreError } from '../../errors.js';
import type { Filter, Metadata, QueryHit, VectorIndexSettings } from '../../store/store.js';
import { validateKey } from '../../store/validators.js';

/** The metadata key of a record's tenant. */
const TENANT = 'tenant';

/** The owner of the records of a semantic index: it converts keys, metadata, filters and hits between caller and store. */
export class Owner {
  /** The beginning of every key in the store. */
  readonly prefix: string;
  readonly #tenant: string | false;

  /** @throws VectorStoreError `vectorstore.invalid_config` if filters cannot use the tenant */
  constructor(tenant: string | false, { nonFilterableKeys }: VectorIndexSettings) {
    if (tenant !== false && nonFilterableKeys.includes(TENANT)) {
      throw invalidConfig(`nonFilterableKeys must not contain "${TENANT}": it is in every filter of a tenant`);
    }
    this.#tenant = tenant;
    this.prefix = tenant === false ? '' : `${tenant.replaceAll('%', '%25').replaceAll('#', '%23')}#`;
  }

  toKey(key: string): string {
    validateKey(key);
    return this.prefix + key;
  }

  fromKey(key: string): string {
    return key.slice(this.prefix.length);
  }

  /** The stored form of a record. @throws VectorStoreError `vectorstore.invalid_input` for the metadata of another tenant */
  toStored({ key, metadata }: { readonly key: string; readonly metadata?: Metadata }): {
    readonly key: string;
    readonly metadata?: Metadata;
  } {
    const stored = this.toKey(key);
    if (this.#tenant === false) return { key: stored, ...(metadata !== undefined && { metadata }) };
    const given = metadata?.[TENANT];
    if (given !== undefined && given !== this.#tenant) {
      throw invalidInput(`metadata "${TENANT}" must be left out, or be the tenant of the index`);
    }
    return { key: stored, metadata: { ...metadata, [TENANT]: this.#tenant } };
  }

  filterOf(filter: Filter | undefined): { readonly filter?: Filter } {
    if (this.#tenant === false) return filter === undefined ? {} : { filter };
    const own = { [TENANT]: { $eq: this.#tenant } };
    return { filter: filter === undefined ? own : { $and: [own, filter] } };
  }

  /** Hits of this owner, with the caller's keys. */
  own(hits: readonly QueryHit[]): QueryHit[] {
    return hits.filter(({ key }) => key.startsWith(this.prefix)).map((hit) => ({ ...hit, key: this.fromKey(hit.key) }));
  }

  /** The progress of a failed write, with the caller's keys. */
  progressOf({ progress }: VectorStoreError): {
    readonly done: readonly string[];
    readonly unknown: readonly string[];
  } {
    const { done = [], unknown = [] } = progress ?? {};
    return { done: done.map((key) => this.fromKey(key)), unknown: unknown.map((key) => this.fromKey(key)) };
  }
}
