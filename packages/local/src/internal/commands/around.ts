/** The environment of a command: its arguments, streams and signal. */
export interface Around {
  /** The working directory. */
  readonly cwd: string;
  /** The variables of the shell. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Writes to standard output. */
  readonly out: (text: string) => unknown;
  /** Writes to standard error. */
  readonly err: (text: string) => unknown;
  /** Reads standard input to its end. */
  readonly input: () => Promise<string>;
  /** Aborts when the developer stops the run. */
  readonly signal: AbortSignal;
}

/** The exit codes of every command. */
export const EXIT = {
  ok: 0,
  /** The function failed, a replay differs, or an event is unknown. */
  failed: 1,
  /** The command line, `sallyport.json` or a port is wrong. */
  usage: 2,
  /** The service does not compile or does not load. */
  build: 3,
} as const;
