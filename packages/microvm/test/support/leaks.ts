import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { isFrameworkError, type Logger, type LogRecord, type Observability } from '@sallyport/core';
import { createLogger } from '@sallyport/core/observability';
import type { MicrovmLifecycleEvent } from '@sallyport/microvm';
import { scanForLeaks } from '@sallyport/microvm/testing';

/** Collects the visible output of a test file, and scans it for leaks at its end. */
export interface LeakWatch {
  /** Records a caller's response or error, and returns it. */
  shown<T>(answer: Promise<T>): Promise<T>;
  /** Keeps a value that is visible outside. */
  keep<T>(value: T): T;
  /** For `onLifecycleEvent`. */
  readonly event: (event: MicrovmLifecycleEvent) => void;
  /** For `log`. */
  readonly logger: Logger;
  /** For `observability`. */
  readonly observability: Observability;
  /** The lines so far. */
  readonly lines: readonly unknown[];
  /** Keeps every row that the client writes. */
  client<T extends DynamoDBClient>(client: T): T;
  /** Registers a getter for issued tokens, read at the end. */
  secrets(read: () => readonly string[]): void;
  /** Returns a function that discards all output after this call. */
  mark(): () => void;
  /** Leaks so far. */
  leaks(): ReturnType<typeof scanForLeaks>;
}

/** Strings that the fakes write into errors and descriptions; they must not be visible. */
const SERVICE_TEXTS = ['a message of the service', 'internal text that must reach no client', 'secret text of'];

/** Starts a watch, and adds a test at the end of the file that checks it. Standard output is watched as well. */
export function watchLeaks(): LeakWatch {
  const kept: unknown[] = [];
  const lines: unknown[] = [];
  const readers: (() => readonly string[])[] = [];
  const logger = createLogger({ level: 'debug', write: (line: string) => void lines.push(JSON.parse(line)) });
  const watch: LeakWatch = {
    async shown(answer) {
      try {
        return watch.keep(await answer);
      } catch (error) {
        kept.push(errorBody(error));
        throw error;
      }
    },
    keep: (value) => {
      kept.push(value);
      return value;
    },
    event: (event) => void kept.push(event),
    logger,
    observability: { log: (record: LogRecord) => lines.push(record), metric: (record) => lines.push(record) },
    lines,
    client: (client) => {
      client.middlewareStack.add(
        (next) => (args) => {
          kept.push(structuredClone(args.input));
          return next(args);
        },
        { step: 'initialize', name: 'watchLeaks' },
      );
      return client;
    },
    secrets: (read) => void readers.push(read),
    mark: () => {
      const [shown, written] = [kept.length, lines.length];
      return () => {
        kept.length = shown;
        lines.length = written;
      };
    },
    leaks: () => scanForLeaks([kept, lines], { secrets: [...readers.flatMap((read) => read()), ...SERVICE_TEXTS] }),
  };
  const { write } = process.stdout;
  beforeAll(() => {
    process.stdout.write = ((chunk: string | Uint8Array, ...rest: never[]) => {
      lines.push(String(chunk));
      return write.call(process.stdout, chunk, ...rest);
    }) as typeof write;
  });
  afterAll(() => {
    process.stdout.write = write;
    expect(kept.length).toBeGreaterThan(0);
    expect(watch.leaks()).toEqual([]);
  });
  return watch;
}

/** Error body for a client. */
function errorBody(error: unknown): unknown {
  if (!isFrameworkError(error)) return { name: (error as Error).name };
  const { code, message, headers, details } = error;
  return { code, message, headers, details, text: String(error) };
}
