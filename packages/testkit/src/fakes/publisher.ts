import type { ErrorNotification } from '@sallyport/core/observability';
import { type Checks, checkOptions, func } from '../internal/check.js';
import { CallLog, Failures, type FakeOptions } from './call-log.js';

export interface FakePublisher {
  readonly publish: (notification: ErrorNotification) => Promise<void>;
  readonly messages: readonly ErrorNotification[];
  /** The next publication fails with this. */
  failNext(error: unknown): void;
}

const CHECKS: Checks<FakeOptions> = { pause: func };

/** The topic of an error notifier, in memory. */
export function fakePublisher(options: FakeOptions = {}): FakePublisher {
  checkOptions(options, CHECKS);
  const { pause = async () => {} } = options;
  const messages = new CallLog<ErrorNotification>();
  const failures = new Failures();
  return {
    async publish(notification) {
      await pause();
      failures.raise();
      messages.push(notification);
    },
    messages: messages.entries,
    failNext: (error) => failures.add(error),
  };
}
