// The program of the console's thread: it sanitizes and keeps the invocations, serves the page, and makes the lines of the terminal.
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { type History, openHistory } from '../history/history.js';
import { createFailures } from '../journal/failure.js';
import { historyRoutes } from './history-routes.js';
import type { FromThread, HostQuestions, Question, ThreadSettings, ToThread } from './messages.js';
import { type ConsoleServer, startConsoleServer } from './server.js';
import { printHistory } from './terminal.js';

class Program {
  readonly #host: MessagePort;
  readonly #settings: ThreadSettings;
  readonly #history: History;
  readonly #waiting = new Map<number, { resolve(answer: unknown): void; reject(error: Error): void }>();
  #questions = 0;
  #server: ConsoleServer | undefined;
  #stopPrinting = () => {};

  constructor(host: MessagePort, settings: ThreadSettings) {
    this.#host = host;
    this.#settings = settings;
    this.#history = openHistory({
      folder: settings.history,
      reveal: settings.reveal,
      failuresOf: createFailures(settings.folder),
      notice: (text) => this.#post({ type: 'notice', text }),
    });
    host.on('message', (message: ToThread) => this.#onMessage(message));
  }

  async start(): Promise<void> {
    const { assets, port, token, tested } = this.#settings;
    try {
      this.#server = await startConsoleServer({
        routes: historyRoutes(this.#history, async () => void (await this.#ask('sync', null)), tested),
        history: this.#history,
        assets,
        port,
        token,
        call: (call) => this.#ask('call', call),
        door: (request) => this.#ask('door', request),
        onFault: (error) =>
          this.#post({ type: 'fault', message: error instanceof Error ? error.message : String(error) }),
      });
      this.#post({ type: 'started', port: this.#server.port });
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      this.#post({ type: 'not started', code, message });
    }
  }

  #post(message: FromThread): void {
    this.#host.postMessage(message);
  }

  #ask<Q extends keyof HostQuestions>(name: Q, input: HostQuestions[Q]['input']): Promise<HostQuestions[Q]['answer']> {
    this.#questions += 1;
    const of = this.#questions;
    return new Promise((resolve, reject) => {
      this.#waiting.set(of, { resolve: (answer) => resolve(answer as HostQuestions[Q]['answer']), reject });
      this.#post({ type: 'ask', ask: name, of, input } as Question);
    });
  }

  #onMessage(message: ToThread): void {
    if (message.type === 'batch') {
      this.#history.apply(message.batch);
      this.#post({ type: 'confirm', number: message.batch.number });
    } else if (message.type === 'answer' || message.type === 'failed') {
      const question = this.#waiting.get(message.of);
      this.#waiting.delete(message.of);
      if (message.type === 'answer') question?.resolve(message.answer);
      else question?.reject(new Error('the host failed'));
    } else if (message.type === 'print') {
      this.#stopPrinting();
      this.#stopPrinting = printHistory(this.#history, message.options, (text) => this.#post({ type: 'print', text }));
    } else void this.#stop();
  }

  async #stop(): Promise<void> {
    this.#stopPrinting();
    this.#history.close();
    await this.#server?.close();
    this.#post({ type: 'stopped' });
  }
}

if (!parentPort) throw new Error('this file is run in a thread of sallyport dev');
void new Program(parentPort, workerData as ThreadSettings).start();
