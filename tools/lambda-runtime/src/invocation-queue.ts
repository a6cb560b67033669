import { randomUUID } from 'node:crypto';
import { json } from 'node:stream/consumers';
// The server of `sallyport dev`, which is not published for others.
import { RuntimeApi } from '../../../packages/local/src/internal/runtime/api.js';
import { Invocation, type InvocationOptions, type InvocationResult } from './invocation.js';

/** Options of {@link startInvocationQueue}. */
export interface InvocationQueueOptions {
  /** Maximum number of concurrent invocations; default 1. */
  readonly maxConcurrency?: number;
  /** Called after an invocation has timed out; its outcome is `timeout` by then. */
  readonly onTimeout?: () => void;
}

/** The error that a runtime reports when it cannot load the function. */
export interface InitError {
  readonly errorType: string;
  readonly errorMessage: string;
}

/** Invocations of one runtime, and the Runtime API from which it receives them. */
export interface InvocationQueue {
  /** Host and port of the Runtime API, and the secret of the shim. */
  readonly api: Pick<RuntimeApi, 'address' | 'key'>;
  /** Errors that the runtime reported instead of starting. */
  readonly initErrors: readonly InitError[];
  /** Resolves when the invocation has ended, with any outcome. */
  invoke(event: unknown, options?: InvocationOptions): Promise<InvocationResult>;
  /** Settles all queued and unanswered invocations as `exit`, after the process has exited. */
  abandon(): void;
  close(): void;
}

const FUNCTION = 'test';

/** Starts a queue: an event is delivered only while fewer than `maxConcurrency` are unanswered, in the order of `invoke`. */
export async function startInvocationQueue(options: InvocationQueueOptions = {}): Promise<InvocationQueue> {
  const { maxConcurrency = 1, onTimeout } = options;
  const initErrors: InitError[] = [];
  const queued: Invocation[] = [];
  const unanswered = new Map<string, Invocation>();
  const api = await RuntimeApi.start({
    onPoll: deliver,
    async onInitError(request) {
      initErrors.push((await json(request)) as InitError);
    },
    onReply(id, kind, request) {
      // The reply of an invocation that has timed out is read and dropped.
      const invocation = unanswered.get(id);
      if (!invocation) return void request.resume();
      invocation.receive(request, kind, () => {
        unanswered.delete(id);
        deliver();
      });
    },
    onFault(error) {
      throw error;
    },
  });

  function deliver(): void {
    while (unanswered.size < maxConcurrency && api.polls > 0) {
      const invocation = queued.shift();
      if (!invocation) return;
      const { requestId } = invocation;
      unanswered.set(requestId, invocation);
      const { headers, body } = invocation.handOut(FUNCTION, () => {
        invocation.end('timeout');
        unanswered.delete(requestId);
        onTimeout?.();
      });
      api.handOut(requestId, body, headers);
    }
  }

  function abandon(): void {
    for (const invocation of [...unanswered.values(), ...queued.splice(0)]) invocation.end('exit');
    unanswered.clear();
  }

  return {
    api,
    initErrors,
    invoke(event, given = {}) {
      const invocation = new Invocation(given.requestId ?? randomUUID(), event, given);
      queued.push(invocation);
      deliver();
      return invocation.result;
    },
    abandon,
    close() {
      abandon();
      api.close();
    },
  };
}
