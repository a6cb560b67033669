import type { Logger } from '@sallyport/core';

/** A function that records the arguments of its calls. */
export interface Recorder<A extends readonly unknown[]> {
  (...args: A): void;
  readonly calls: A[];
}

export function createRecorder<A extends readonly unknown[] = unknown[]>(): Recorder<A> {
  const calls: A[] = [];
  return Object.assign((...args: A) => void calls.push(args), { calls });
}

/** A logger that records its lines as level, message and fields. */
export function createLogRecorder(): Logger & { readonly lines: unknown[][] } {
  const lines: unknown[][] = [];
  const at = (level: string) => (message: string, fields?: object) => void lines.push([level, message, fields]);
  const log = {
    lines,
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    isEnabled: () => true,
    with: () => log,
  };
  return log;
}

/** Lines that `run` writes to standard output. */
export async function linesOf(run: () => Promise<unknown>): Promise<string[]> {
  const lines: string[] = [];
  const { write } = process.stdout;
  process.stdout.write = (chunk: string | Uint8Array) => lines.push(String(chunk)) > 0;
  try {
    await run();
  } finally {
    process.stdout.write = write;
  }
  return lines;
}
