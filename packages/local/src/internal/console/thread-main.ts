// The thread of the console: it sanitizes and keeps the invocations, serves the page, and makes the lines of the terminal.
import { parentPort, workerData } from 'node:worker_threads';
import { openHistory } from '../history/history.js';
import { createFailures } from '../journal/failure.js';
import { historyRoutes } from './history-routes.js';
import type { FromThread, HostQuestions, Question, ThreadSettings, ToThread } from './messages.js';
import { type ConsoleServer, startConsoleServer } from './server.js';
import { printHistory } from './terminal.js';

const settings = workerData as ThreadSettings;
const host = parentPort;
if (!host) throw new Error('this file is run in a thread of sallyport dev');

const post = (message: FromThread) => host.postMessage(message);
const history = openHistory({
  folder: settings.history,
  reveal: settings.reveal,
  failuresOf: createFailures(settings.folder),
  notice: (text) => post({ type: 'notice', text }),
});
const waiting = new Map<number, { resolve(answer: unknown): void; reject(error: Error): void }>();
let questions = 0;
let server: ConsoleServer | undefined;
let stopPrinting = () => {};

function ask<Q extends keyof HostQuestions>(name: Q, input: HostQuestions[Q]['input']): Promise<HostQuestions[Q]['answer']> {
  questions += 1;
  const of = questions;
  return new Promise((resolve, reject) => {
    waiting.set(of, { resolve: (answer) => resolve(answer as HostQuestions[Q]['answer']), reject });
    post({ type: 'ask', ask: name, of, input } as Question);
  });
}

async function start(): Promise<void> {
  try {
    server = await startConsoleServer({
      routes: historyRoutes(history, async () => void (await ask('sync', null))),
      history,
      assets: settings.assets,
      port: settings.port,
      token: settings.token,
      call: (call) => ask('call', call),
      door: (request) => ask('door', request),
      onFault: (error) => post({ type: 'fault', message: error instanceof Error ? error.message : String(error) }),
    });
    post({ type: 'started', port: server.port });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    post({ type: 'not started', code, message });
  }
}

async function stop(): Promise<void> {
  stopPrinting();
  history.close();
  await server?.close();
  post({ type: 'stopped' });
}

function onMessage(message: ToThread): void {
  if (message.type === 'batch') {
    history.apply(message.batch);
    post({ type: 'confirm', number: message.batch.number });
  } else if (message.type === 'answer' || message.type === 'failed') {
    const question = waiting.get(message.of);
    waiting.delete(message.of);
    if (message.type === 'answer') question?.resolve(message.answer);
    else question?.reject(new Error('the host failed'));
  } else if (message.type === 'print') {
    stopPrinting();
    stopPrinting = printHistory(history, message.options, (text) => post({ type: 'print', text }));
  } else void stop();
}

host.on('message', onMessage);
void start();
