/** The outcome of one task. */
export type Outcome =
  | { readonly state: 'waiting' }
  | { readonly state: 'done' }
  | { readonly state: 'failed'; readonly error: unknown };

/** The number of concurrent tasks. A task may lower it. */
export interface Width {
  limit: number;
}

/**
 * Runs a task for each item, in order, at most `width.limit` at a time. After the first failure no more tasks are started.
 * Resolves when all started tasks have ended; never rejects.
 */
export function runBounded<T>(
  items: readonly T[],
  width: Width,
  run: (item: T, index: number) => Promise<void>,
): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = items.map(() => ({ state: 'waiting' }));
  const waiting = items.entries();
  return new Promise((resolve) => {
    let active = 0;
    let isOver = false;
    const settle = (index: number, outcome: Outcome) => {
      outcomes[index] = outcome;
      active -= 1;
      if (outcome.state === 'failed') isOver = true;
      fill();
    };
    const fill = () => {
      while (!isOver && active < Math.max(1, width.limit)) {
        const { value: task, done } = waiting.next();
        if (done) isOver = true;
        else start(...task);
      }
      if (isOver && active === 0) resolve(outcomes);
    };
    const start = (index: number, item: T) => {
      active += 1;
      run(item, index).then(
        () => settle(index, { state: 'done' }),
        (error: unknown) => settle(index, { state: 'failed', error }),
      );
    };
    fill();
  });
}

/** The error of the first task that failed. */
export function failureOf(outcomes: readonly Outcome[]): { readonly error: unknown } | undefined {
  return outcomes.find((outcome) => outcome.state === 'failed');
}
