/** Where the framework gets request ids from. */
export interface IdGenerator {
  newId(): string;
}

/** Asked once: reading the environment takes longer than making an id. */
let fromSnapshot: boolean | undefined;

/**
 * Random UUIDs (RFC 9562, version 4).
 *
 * Node keeps random bytes for 128 UUIDs in memory. Environments that are restored from one snapshot would hand out the same
 * ones, so where the service says `AWS_LAMBDA_INITIALIZATION_TYPE=snap-start` each id draws its own bytes.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/snapstart-uniqueness.html
 * @see https://nodejs.org/api/crypto.html#cryptorandomuuidoptions
 */
export const randomIds: IdGenerator = {
  newId() {
    fromSnapshot ??= process.env.AWS_LAMBDA_INITIALIZATION_TYPE === 'snap-start';
    // The global `crypto.randomUUID` takes no options.
    return fromSnapshot ? process.getBuiltinModule('node:crypto').randomUUID(UNCACHED) : crypto.randomUUID();
  },
};

const UNCACHED = { disableEntropyCache: true };

/**
 * A random number from 0 to below 1, for waiting times and choices among equals.
 *
 * `Math.random` continues a sequence that lies in memory: environments restored from one snapshot would all wait the same time.
 */
export function randomFraction(): number {
  const [drawn = 0] = crypto.getRandomValues(new Uint32Array(1));
  return drawn / 2 ** 32;
}
