// Figures of code style that may only improve: lower `reached` when a change improves it. `wanted` is the goal.

export interface Budget {
  /** More than this breaks the gate. */
  readonly reached: number;
  readonly wanted: number;
}

/**
 * The functions and files that run in `SecureApp` at tier P2 for one authenticated gateway-v2 GET, and for an MCP `tools/call` of the stateless
 * era without and with an elicitation.
 */
export const PATHS = {
  // Since traces and the metric line of an invocation: the end of an invocation, the span of a call in two files, its measures.
  get: { functions: { reached: 66, wanted: 60 }, files: { reached: 19, wanted: 16 } },
  call: { functions: { reached: 124, wanted: 110 }, files: { reached: 32, wanted: 24 } },
  // The context of an invocation and its state are two files.
  // A call runs the files of the GET and ten of MCP, with a topic each; an elicitation adds three of MCP (record, sealed
  // state, cipher) and five of the base of all packages (digest, canonical JSON, caller, tenant, validator).
  elicitation: { functions: { reached: 170, wanted: 140 }, files: { reached: 40, wanted: 28 } },
} as const satisfies Readonly<Record<string, { readonly functions: Budget; readonly files: Budget }>>;

/** The most lines of a file that is not in {@link LONG_FILES}: a longer one has more than one topic. */
const MAX_FILE_LINES = 400;

/** Files that are longer, each with the reason. */
const LONG_FILES: Readonly<Record<string, string>> = {};

/** Files that are too long, and reasons for files that are no longer too long. */
export function judgeFileLines(lines: ReadonlyMap<string, number>, reasons = LONG_FILES): readonly string[] {
  const long = [...lines].filter(([, count]) => count > MAX_FILE_LINES);
  return [
    ...long
      .filter(([file]) => !(file in reasons))
      .map(([file, count]) => `${file} has ${count} lines, at most ${MAX_FILE_LINES}`),
    ...Object.keys(reasons)
      .filter((file) => !long.some(([name]) => name === file))
      .map((file) => `${file} is in LONG_FILES and has no more than ${MAX_FILE_LINES} lines`),
  ];
}

/** A length in lines between `least` and `most`: pieces that are too small hide the behaviour. */
export interface Range {
  readonly least: number;
  readonly most: number;
}

/**
 * Lines of the functions of all packages, as `function-lengths.ts` counts them. The goal of the ninetieth percentile was 20 to 30; it is 14
 * (16 for named functions): a quarter are callbacks, and most helpers are predicates whose names explain an
 * expression. Longer functions should reduce jumps; the budget of {@link PATHS} limits those.
 */
export const FUNCTION_LENGTHS: { readonly p50: Range; readonly p90: Range; readonly p99: Range } = {
  p50: { least: 4, most: 10 },
  p90: { least: 12, most: 30 },
  p99: { least: 20, most: 60 },
};

/** The values outside their range. */
export function judgeRange(what: string, measured: number, { least, most }: Range): readonly string[] {
  return measured < least || measured > most ? [`${what}: ${measured}, and it should be ${least} to ${most}`] : [];
}

/** The values over their budget. */
export function judgeBudget(what: string, measured: number, { reached, wanted }: Budget): readonly string[] {
  if (measured > reached) return [`${what}: ${measured}, and it was ${reached} (wanted ${wanted})`];
  return [];
}
