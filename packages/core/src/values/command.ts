/** The environment of a command of `sallyport`. */
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
  /** Aborts when the developer stops the command. */
  readonly signal: AbortSignal;
}

/** One flag of a command. */
export interface CommandFlag {
  /** The type of the value; a `boolean` flag has no value. */
  readonly type: 'boolean' | 'text' | 'number';
  /** True if the flag accepts several values. */
  readonly multiple?: true;
  /** A clause for the help. */
  readonly help: string;
}

/** A command of `sallyport`, as its package exports it. `A` is the part of the environment that it reads. */
export interface Command<A = Around> {
  /** The arguments, for the help: `dev [entry]`. */
  readonly usage: string;
  /** A clause for the help. */
  readonly does: string;
  /** Flags by their names without `--`. */
  readonly flags: Readonly<Record<string, CommandFlag>>;
  /** Runs the command. Resolves to the exit code. */
  run(args: readonly string[], around: A): Promise<number>;
}

/** The exit codes of every command. */
export const EXIT = {
  ok: 0,
  /** The function failed, a check has findings, or AWS rejected a call. */
  failed: 1,
  /** The command line, a settings file or a port is wrong, or a package is not installed. */
  usage: 2,
  /** The service does not compile or does not load. */
  build: 3,
} as const;
