/** The environment of a command. */
export interface Around {
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly out: (text: string) => unknown;
  readonly err: (text: string) => unknown;
  /** Reads standard input to its end. */
  readonly input: () => Promise<string>;
  /** Aborts when the developer stops the command. */
  readonly signal: AbortSignal;
}

/** A command, as its package exports it. */
export interface Command {
  /** The arguments, for the help: `dev [entry]`. */
  readonly usage: string;
  /** A clause for the help. */
  readonly does: string;
  /** Flags by their names without `--`. */
  readonly flags: Readonly<Record<string, { readonly type: string; readonly multiple?: true; readonly help: string }>>;
  /** Resolves to the exit code. */
  run(args: readonly string[], around: Around): Promise<number>;
}

/** The exit code for an invalid command line. */
export const USAGE = 2;
