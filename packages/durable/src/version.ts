import { assertName } from './internal/checks.js';
import type { Lane } from './internal/lane.js';
import { scopeOf } from './internal/scope.js';
import type { Durable } from './types.js';

/**
 * Selects the code of an execution that runs while its function is deployed: `from` for an execution that had passed this place before the
 * marker existed, else `to`. The selection is recorded, so it is equal at every replay.
 *
 * @param name 1 to 128 printable ASCII characters, unique like the names of operations
 * @throws DurableError `durable.invalid_operation`, `durable.duplicate_name`
 * @example
 * if ((await version(ctx, 'two mails', { from: 1, to: 2 })) === 2) await ctx.step('second mail', () => mail(order));
 */
export async function version<const F extends string | number, const T extends string | number>(
  ctx: Pick<Durable, 'step'>,
  name: string,
  { from, to }: { readonly from: F; readonly to: T },
): Promise<F | T> {
  assertName(name);
  const lane = scopeOf(ctx) as Lane | undefined;
  // A step here would have the position of a recorded operation.
  if (lane?.isReplaying && lane.recorded(name) === undefined) return from;
  return (await ctx.step<string | number>(name, () => to)) as F | T;
}
