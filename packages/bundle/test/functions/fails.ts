// The lines of this file are expected in the log.

/** Throws. */
export function failAtOnce(): never {
  throw new Error('at once');
}

/** Rejects. */
export async function failLater(): Promise<never> {
  await Promise.reject(new Error('later'));
  throw new Error('never');
}
