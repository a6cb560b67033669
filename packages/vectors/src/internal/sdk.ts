import { isFrameworkError } from '@sallyport/core';
import { lazily } from '@sallyport/core/internal';
import { invalidConfig } from '../errors.js';

/** The part of an AWS client that is used. Its own types are not imported, because its package is optional. */
export interface SdkClient {
  /** Sends one command; the signal ends the call. */
  send(command: object, options: { readonly abortSignal: AbortSignal }): Promise<unknown>;
}

/** Configuration of an AWS client: region, credentials, endpoint, attempts. */
export type SdkConfig = Readonly<Record<string, unknown>>;

/** A client and the module with its commands. */
export interface Opened<M> {
  readonly module: M;
  readonly client: SdkClient;
}

/**
 * Loads an AWS package and creates the client at the first use, once. After a failure the next call tries again.
 *
 * @throws VectorStoreError `vectorstore.invalid_config` if the client cannot be created; FrameworkError `app.missing_package`
 * without the package
 */
export function lazyClient<M>(
  name: string,
  load: () => Promise<M>,
  makeClient: (module: M) => SdkClient,
): () => Promise<Opened<M>> {
  return lazily(async () => {
    try {
      const module = await load();
      return { module, client: makeClient(module) };
    } catch (cause) {
      throw isFrameworkError(cause)
        ? cause
        : invalidConfig(`${name} could not be loaded, or its client could not be created`, cause);
    }
  });
}
