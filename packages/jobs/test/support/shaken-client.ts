/** The part of an AWS client that middleware is added to. */
interface Stack {
  readonly middlewareStack: {
    add(
      middleware: (next: (args: object) => Promise<object>) => (args: object) => Promise<object>,
      options: { readonly step: 'finalizeRequest'; readonly priority: 'low'; readonly name: string },
    ): void;
  };
}

/** Fractions of requests that are lost before they reach the server, and of responses that are lost after the server has applied the request. */
export interface Losses {
  readonly before: number;
  readonly after: number;
}

/** Random numbers that a seed repeats. */
export function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Loses requests and answers of a client beneath its retries, so that the client tries again as it does on a bad connection. */
export function shake(client: Stack, { before, after }: Losses, random: () => number): void {
  client.middlewareStack.add(
    (next) => async (args) => {
      if (random() < before) throw connectionReset();
      const settled = await next(args).then(
        (answer) => () => answer,
        (error: unknown) => () => {
          throw error;
        },
      );
      if (random() < after) throw connectionReset();
      return settled();
    },
    { step: 'finalizeRequest', priority: 'low', name: 'shake' },
  );
}

function connectionReset(): Error {
  return Object.assign(new Error('socket hang up'), { name: 'TimeoutError', code: 'ECONNRESET' });
}
