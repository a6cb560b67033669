/**
 * A point at which an invocation is killed. `before`: its checkpoint is not stored; `after`: it is stored, but not answered; `body`: a
 * step function has run, but did not return; `answer`: the invocation has ended, but its answer is lost. Counted from 1 over the execution.
 */
export interface Kill {
  readonly at: 'before' | 'after' | 'body' | 'answer';
  readonly count: number;
}

/** A kill in words, for messages. */
export function killText({ at, count }: Kill): string {
  switch (at) {
    case 'before':
      return `killed before checkpoint ${count} was stored`;
    case 'after':
      return `killed before checkpoint ${count} was answered`;
    case 'body':
      return `killed at the end of step function ${count}`;
    case 'answer':
      return `killed after invocation ${count}`;
  }
}

/** Returns true at the points at which an invocation is killed. */
export type KillPlan = (at: Kill['at'], count: number) => boolean;

export const NEVER: KillPlan = () => false;

/** Kills once. */
export function killOnce(kill: Kill): KillPlan {
  let isOver = false;
  return (at, count) => {
    if (isOver || at !== kill.at || count !== kill.count) return false;
    isOver = true;
    return true;
  };
}

/** Code of a killed invocation stops at its next call: it is never answered. */
export function stopped<T>(): Promise<T> {
  return new Promise(() => {});
}
