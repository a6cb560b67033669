import type { FullClock } from '@sallyport/core';
import { Agenda } from '../../engines/internal/agenda.js';
import type { Operation } from '../wire.js';
import type { Execution } from './execution.js';

/** A deadline of an execution. `timeout` and `heartbeat` belong to a callback, `end` to the execution. */
export interface Deadline {
  readonly arn: string;
  readonly kind: 'wait' | 'retry' | 'timeout' | 'heartbeat' | 'invocation' | 'end';
  readonly operationId: string;
  /** Milliseconds since the epoch. */
  readonly until: number;
}

/** The deadlines of all open executions. */
export class Timers {
  readonly #clock: FullClock;
  readonly #agenda: Agenda<Deadline>;
  readonly #items = new Set<Deadline>();

  constructor(clock: FullClock, onDue: (deadline: Deadline) => void) {
    this.#clock = clock;
    this.#agenda = new Agenda<Deadline>(clock, (deadlines) => {
      for (const deadline of deadlines) {
        if (this.#items.delete(deadline)) onDue(deadline);
      }
    });
  }

  get all(): readonly Deadline[] {
    return [...this.#items];
  }

  add(deadline: Deadline): void {
    this.#items.add(deadline);
    this.#agenda.add(deadline, this.#clock.monotonicMs() + Math.max(0, deadline.until - this.#clock.now().getTime()));
  }

  /** Removes the matching deadlines, without an effect. */
  remove(matches: (deadline: Deadline) => boolean): void {
    for (const deadline of this.all) {
      if (!matches(deadline)) continue;
      this.#items.delete(deadline);
      this.#agenda.remove(deadline);
    }
  }

  /** Ends the matching deadlines now. */
  hurry(matches: (deadline: Deadline) => boolean): void {
    this.#agenda.hurry(matches);
  }

  clear(): void {
    this.#items.clear();
    this.#agenda.clear();
  }
}

/** The deadlines of an operation in its current state. */
export function deadlinesOf(execution: Execution, operation: Operation): Deadline[] {
  const { arn } = execution;
  const at = (kind: Deadline['kind'], until: number | undefined): Deadline[] =>
    until === undefined ? [] : [{ arn, kind, operationId: operation.Id, until }];
  switch (operation.Status === 'PENDING' ? 'PENDING' : operation.Type) {
    case 'PENDING':
      return at('retry', operation.StepDetails?.NextAttemptTimestamp?.getTime());
    case 'WAIT':
      return operation.Status === 'STARTED' ? at('wait', operation.WaitDetails?.ScheduledEndTimestamp?.getTime()) : [];
    case 'CALLBACK': {
      if (operation.Status !== 'STARTED') return [];
      const times = execution.deadlinesOf(operation.Id);
      return [...at('timeout', times?.timeoutAt), ...at('heartbeat', times?.heartbeatAt)];
    }
    default:
      return [];
  }
}
