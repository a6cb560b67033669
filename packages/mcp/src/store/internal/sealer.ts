import { FrameworkError, type MaybePromise } from '@sallyport/core';
import { loadSeal } from '../../http/internal/lazy.js';
import type { McpSecret } from '../../server/secret.js';

/** What a sealed token is for; each has a key of its own. */
export type SealPurpose = 'session' | 'state' | 'cursor';

/** Seals and opens short texts. */
export interface Sealer {
  /** An opaque token of visible ASCII. `bound` must be the same text when it is opened. */
  seal(purpose: SealPurpose, text: string, bound: string): Promise<string>;
  /** `undefined` when it was tampered with, is bound to something else, or its key is gone. */
  open(purpose: SealPurpose, token: string, bound: string): Promise<string | undefined>;
  /** A short tag of text under the current key. */
  mac(purpose: SealPurpose, text: string): Promise<string>;
}

/** A sealer whose ciphers load when something is first sealed or opened. */
export function createLazySealer(secret: McpSecret | (() => MaybePromise<McpSecret>)): Sealer {
  let made: Promise<Sealer> | undefined;
  const sealer = (): Promise<Sealer> => {
    made ??= loadSeal().then(({ createSealer }) => createSealer(secret));
    return made;
  };
  return {
    seal: async (purpose, text, bound) => (await sealer()).seal(purpose, text, bound),
    open: async (purpose, token, bound) => (await sealer()).open(purpose, token, bound),
    mac: async (purpose, text) => (await sealer()).mac(purpose, text),
  };
}

/** The sealer of a server without a secret: reaching it is a mistake of ours, never of a client. */
export const noSealer: Sealer = {
  seal: () => Promise.reject(new FrameworkError('app.internal')),
  open: () => Promise.resolve(undefined),
  mac: () => Promise.reject(new FrameworkError('app.internal')),
};
