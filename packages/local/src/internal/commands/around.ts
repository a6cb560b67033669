/** What the command needs from its surroundings. */
export interface Around {
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly out: (text: string) => unknown;
  readonly err: (text: string) => unknown;
  /** Standard input, to its end. */
  readonly input: () => Promise<string>;
  /** Aborts when the developer wants to end the run. */
  readonly signal: AbortSignal;
}

/** The exit codes of every command. */
export const EXIT = {
  ok: 0,
  /** The function failed, a replay differs, an event is unknown. */
  failed: 1,
  /** The command line, `sallyport.json` or a port is wrong. */
  usage: 2,
  /** The service does not compile or does not load. */
  build: 3,
} as const;
