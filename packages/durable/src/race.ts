import type { Durable } from './types.js';

/** The result of {@link race}: the branch that settled first, and its value. */
export type RaceResult<B extends Branches> = {
  readonly [K in keyof B]: { readonly winner: K; readonly value: Awaited<ReturnType<B[K]>> };
}[keyof B];

/** The operations of a race, by name. */
export type Branches = Readonly<Record<string, () => Promise<unknown>>>;

/**
 * Waits for the operation that settles first, and records which one: `Promise.race` could have another winner at a replay. The others
 * continue. Each branch must be one operation; a `wait` limits the time of the others.
 *
 * @param name 1 to 128 printable ASCII characters, unique like the names of operations
 * @throws the error of the branch that settled first
 * @example
 * const { winner } = await race(ctx, 'decision', {
 *   approved: () => ctx.callback('approval', Decision, { submit: ask, timeoutSeconds: 86_400 }),
 *   late: () => ctx.wait('an hour', { hours: 1 }),
 * });
 */
export async function race<B extends Branches>(ctx: Pick<Durable, 'step'>, name: string, branches: B): Promise<RaceResult<B>> {
  const running = Object.entries(branches).map(([key, run]) => ({ key, value: run() }));
  const settled = running.map(({ key, value }) => value.then(() => key, () => key));
  const first = await Promise.race(settled);
  const winner = await ctx.step(name, () => first);
  const value = await running.find(({ key }) => key === winner)?.value;
  return { winner, value } as unknown as RaceResult<B>;
}
