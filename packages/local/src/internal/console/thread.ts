import { Worker } from 'node:worker_threads';
import { systemClock } from '@sallyport/core';
import { createFeed, type Feed } from '../journal/feed.js';
import type { Journal } from '../journal/journal.js';
import type { FromThread, HostQuestions, ThreadSettings, ToThread } from './messages.js';
import type { TerminalOptions } from './terminal.js';
import { findThread } from './thread-program.js';

/** The console's thread, as the host uses it. */
export interface ConsoleThread {
  readonly port: number;
  /** Sends the lines of the terminal to `out`, from now on. */
  print(options: TerminalOptions, out: (text: string) => void): void;
  stop(): Promise<void>;
}

/** Options of {@link startThread}. */
export interface ThreadOptions {
  readonly settings: ThreadSettings;
  readonly journal: Journal;
  /** Answers the questions of the thread. An answer that fails is reported to `onFault`. */
  readonly answers: {
    readonly [Q in Exclude<keyof HostQuestions, 'sync'>]: (
      input: HostQuestions[Q]['input'],
    ) => Promise<HostQuestions[Q]['answer']>;
  };
  readonly onNotice: (text: string) => void;
  readonly onFault: (error: unknown) => void;
}

/** A thread that does not stop in this time is terminated. */
const STOP_MS = 2_000;
/** Most of its memory is short-lived: a small young generation keeps the process small. */
const LIMITS = { maxYoungGenerationSizeMb: 4, maxOldGenerationSizeMb: 256 } as const;

/** Starts the thread. @throws Error of Node when the port is taken (`EADDRINUSE`) */
export async function startThread(options: ThreadOptions): Promise<ConsoleThread> {
  const { settings, journal, answers, onNotice, onFault } = options;
  const worker = new Worker(await findThread(), { workerData: settings, execArgv: [], resourceLimits: LIMITS });
  const post = (message: ToThread) => worker.postMessage(message);
  let feed: Feed | undefined;
  let out: (text: string) => void = () => {};
  let isGone = false;

  const answer = async (question: Extract<FromThread, { type: 'ask' }>) => {
    const { of } = question;
    try {
      const value =
        question.ask === 'call'
          ? await answers.call(question.input)
          : question.ask === 'door'
            ? await answers.door(question.input)
            : null;
      // The thread gets all changes that led to this answer first.
      feed?.flush();
      post({ type: 'answer', of, answer: value });
    } catch (error) {
      onFault(error);
      post({ type: 'failed', of });
    }
  };

  const stopped = new Promise<void>((resolve) => {
    worker.once('exit', () => {
      isGone = true;
      feed?.stop();
      resolve();
    });
  });
  const port = await new Promise<number>((resolve, reject) => {
    worker.on('message', (message: FromThread) => {
      if (message.type === 'started') resolve(message.port);
      else if (message.type === 'not started')
        reject(Object.assign(new Error(message.message), { code: message.code }));
      else if (message.type === 'ask') void answer(message);
      else if (message.type === 'confirm') feed?.confirm(message.number);
      else if (message.type === 'print') out(message.text);
      else if (message.type === 'notice') onNotice(message.text);
      else if (message.type === 'fault') onFault(new Error(message.message));
      else void worker.terminate();
    });
    worker.on('error', (error) => {
      reject(error);
      out(`the console stopped, and the doors continue: ${error.message}; start sallyport dev again\n`);
    });
  });
  feed = createFeed(journal, systemClock, (batch) => {
    if (!isGone) post({ type: 'batch', batch });
  });
  return {
    port,
    print(terminal, write) {
      out = write;
      post({ type: 'print', options: terminal });
    },
    async stop() {
      feed?.flush();
      feed?.stop();
      post({ type: 'stop' });
      const cancel = systemClock.after(STOP_MS, () => void worker.terminate());
      await stopped;
      cancel();
    },
  };
}
