import { isFrameworkError } from '@sallyport/core';
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

/** Loads an AWS package and creates the client at the first use, once. After a failure the next call tries again. */
export class LazyClient<M> {
  readonly #name: string;
  readonly #load: () => Promise<M>;
  readonly #makeClient: (module: M) => SdkClient;
  #opening: Promise<Opened<M>> | undefined;

  constructor(name: string, load: () => Promise<M>, makeClient: (module: M) => SdkClient) {
    this.#name = name;
    this.#load = load;
    this.#makeClient = makeClient;
  }

  /**
   * @throws VectorStoreError `vectorstore.invalid_config` if the client cannot be created; FrameworkError `app.missing_package`
   * without the package
   */
  open(): Promise<Opened<M>> {
    this.#opening ??= this.#start();
    return this.#opening;
  }

  async #start(): Promise<Opened<M>> {
    try {
      const module = await this.#load();
      return { module, client: this.#makeClient(module) };
    } catch (cause) {
      this.#opening = undefined;
      throw isFrameworkError(cause)
        ? cause
        : invalidConfig(`${this.#name} could not be loaded, or its client could not be created`, cause);
    }
  }
}
