/** The work of a context that runs if its handler fails. */
const ON_FAILURE = Symbol('on failure');

interface Failing {
  [ON_FAILURE]?: (() => Promise<void>)[];
}

/** Registers work for the failure of a handler. */
export function onFailure(context: object, run: () => Promise<void>): void {
  const failing = context as Failing;
  failing[ON_FAILURE] ??= [];
  failing[ON_FAILURE].push(run);
}

/** Runs the registered work, the last one first. */
export async function runOnFailure(context: object): Promise<void> {
  const work = (context as Failing)[ON_FAILURE] ?? [];
  for (let run = work.pop(); run !== undefined; run = work.pop()) await run();
}
