import { join } from 'node:path';
import type { StoreView } from '../../console/api.js';
import type { RunBase } from '../../host/base.js';
import type { Environment, ServiceState, StateType } from '../../state/state.js';
import { BucketStore } from './store.js';

/** The buckets of a run, in files. */
export class BucketState implements ServiceState {
  readonly store: BucketStore;
  readonly #config: RunBase['config'];
  readonly #endpoint: string;

  constructor({ config, clock }: RunBase, { S3_ENDPOINT = '' }: Environment) {
    this.#config = config;
    this.#endpoint = S3_ENDPOINT;
    this.store = new BucketStore(join(config.stateFolder, 's3'), () => clock.now().getTime());
  }

  async start(): Promise<void> {
    const { state, buckets } = this.#config;
    if (state) for (const name of buckets) this.store.create(name);
  }

  /** The address of an S3 service other than ours. */
  variables(): Readonly<Record<string, string>> {
    return this.#endpoint === '' ? {} : { AWS_ENDPOINT_URL_S3: this.#endpoint };
  }

  async reset(): Promise<void> {
    this.store.clear();
  }

  list(): readonly StoreView[] {
    return this.store.list().map(({ name }) => ({ name, about: '', count: this.objects(name).length }));
  }

  /** The newest versions of a bucket's objects; empty for an unknown bucket. */
  objects(name: string): readonly { readonly key: string; readonly bytes: number; readonly changed: string }[] {
    const bucket = this.store.list().find((one) => one.name === name);
    return (bucket?.keys() ?? []).flatMap((key) => {
      const version = bucket?.current(key);
      return version ? [{ key, bytes: version.size, changed: new Date(version.modifiedAt).toISOString() }] : [];
    });
  }
}

/** The buckets of a run. */
export const buckets: StateType<BucketState> = {
  create: (host, environment) => new BucketState(host, environment),
};
