import type { FullClock } from '@sallyport/core';
import { Lru } from '@sallyport/core/internal';
import type { SecretToken } from '../../provider/secret-token.js';

/** A token and its times, in epoch milliseconds. */
export interface CachedToken {
  readonly token: SecretToken;
  readonly mintedAt: number;
  readonly expiresAt: number;
}

/** The machine and scope of a token. */
export interface TokenKey {
  readonly microvmId: string;
  readonly type: 'auth' | 'shell';
  /** Sorted port scopes, or `shell`. */
  readonly scope: readonly string[];
}

const MAX_TOKENS = 256;

/**
 * Tokens of one execution environment. Concurrent calls for the same token share one call of the service. A new token
 * replaces the least recently used token.
 */
export class TokenCache {
  readonly #clock: FullClock;
  readonly #tokens = new Lru<CachedToken>(MAX_TOKENS);
  readonly #minting = new Map<string, Promise<CachedToken>>();

  constructor(clock: FullClock) {
    this.#clock = clock;
  }

  /**
   * Returns a cached token with enough remaining lifetime, or a new token.
   *
   * @param leftMs returns the required remaining lifetime of a cached token, in milliseconds
   */
  async get(
    key: TokenKey,
    leftMs: (token: CachedToken) => number,
    mint: () => Promise<CachedToken>,
  ): Promise<CachedToken> {
    const name = nameOf(key);
    const cached = this.#tokens.get(name);
    if (cached && cached.expiresAt - this.#clock.now().getTime() >= leftMs(cached)) return cached;
    return this.#minting.get(name) ?? this.#start(name, mint);
  }

  /** Removes the tokens of a machine, including tokens that are being created. */
  drop(microvmId: string): void {
    const prefix = `[${JSON.stringify(microvmId)},`;
    for (const map of [this.#tokens, this.#minting]) {
      for (const name of map.keys()) if (name.startsWith(prefix)) map.delete(name);
    }
  }

  /** Number of cached tokens. */
  get size(): number {
    return this.#tokens.size;
  }

  #start(name: string, mint: () => Promise<CachedToken>): Promise<CachedToken> {
    const running = mint();
    this.#minting.set(name, running);
    const settle = (token: CachedToken | undefined) => {
      // The token was dropped in the meantime.
      if (this.#minting.get(name) !== running) return;
      this.#minting.delete(name);
      if (token) this.#tokens.set(name, token);
    };
    running.then(settle, () => settle(undefined));
    return running;
  }
}

function nameOf({ microvmId, type, scope }: TokenKey): string {
  return JSON.stringify([microvmId, type, scope]);
}
