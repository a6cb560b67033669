/** The same lines at two places. */
export interface SharedRun {
  /** The places, as `file:first-last`. */
  readonly at: readonly [string, string];
  /** The number of lines; blank lines, comments, imports and lone punctuation do not count. */
  readonly lines: number;
}

/** Two files, or a file and itself, that share lines. */
export interface SharedPair {
  readonly files: readonly [string, string];
  readonly runs: readonly SharedRun[];
  readonly lines: number;
}

/** A pair of files that share lines for a reason. */
export interface ExplainedPair {
  /** A file or the beginning of a path, for each side, in any order. */
  readonly files: readonly [string, string];
  readonly why: string;
}

/** The minimum length of a run: shorter ones are common phrases of the language. */
const RUN_LINES = 6;
/** A pair with more shared lines than this, in all runs together, must be changed or explained. */
const PAIR_LINES = 10;

interface Line {
  readonly text: string;
  readonly number: number;
}

/** The files that share lines, the largest pair first. Code that differs in names is not found. */
export function findShared(texts: ReadonlyMap<string, string>): readonly SharedPair[] {
  const files = [...texts].map(([file, text]) => ({ file, lines: readLines(text) }));
  const places = new Map<string, { readonly file: number; readonly from: number }[]>();
  for (const [file, { lines }] of files.entries()) {
    for (let from = 0; from + RUN_LINES <= lines.length; from += 1) {
      const run = lines.slice(from, from + RUN_LINES).map(({ text }) => text);
      const key = run.join('\n');
      places.set(key, [...(places.get(key) ?? []), { file, from }]);
    }
  }
  const pairs = new Map<string, SharedRun[]>();
  for (const found of places.values()) {
    for (const [index, a] of found.entries()) {
      for (const b of found.slice(index + 1)) {
        const [left, right] = [files[a.file], files[b.file]];
        if (!left || !right) continue;
        const run = runAt(left, a.from, right, b.from);
        if (!run) continue;
        const key = `${left.file}\n${right.file}`;
        pairs.set(key, [...(pairs.get(key) ?? []), run]);
      }
    }
  }
  return [...pairs].map(([key, runs]) => toPair(key, runs)).sort((a, b) => b.lines - a.lines);
}

/** The longest run that begins at these two lines; `undefined` if the previous lines belong to it too. */
function runAt(
  left: { readonly file: string; readonly lines: readonly Line[] },
  from: number,
  right: { readonly file: string; readonly lines: readonly Line[] },
  other: number,
): SharedRun | undefined {
  const same = (offset: number) => {
    const line = left.lines[from + offset];
    return line !== undefined && line.text === right.lines[other + offset]?.text;
  };
  if (same(-1)) return undefined;
  // Within one file a run ends where its repetition begins.
  const most = left.file === right.file ? other - from : Number.POSITIVE_INFINITY;
  let lines = 0;
  while (lines < most && same(lines)) lines += 1;
  if (lines < RUN_LINES) return undefined;
  return { at: [nameOf(left, from, lines), nameOf(right, other, lines)], lines };
}

function nameOf(
  { file, lines }: { readonly file: string; readonly lines: readonly Line[] },
  from: number,
  count: number,
) {
  return `${file}:${lines[from]?.number}-${lines[from + count - 1]?.number}`;
}

function toPair(key: string, runs: readonly SharedRun[]): SharedPair {
  const [left = '', right = ''] = key.split('\n');
  return { files: [left, right], runs, lines: runs.reduce((sum, { lines }) => sum + lines, 0) };
}

const IMPORT = /^(?:import|export)\b[^;(]*?from '[^']+';/gm;
const COMMENT = /^(?:\/\/|\/\*|\*)/;

/** The lines that count, without what an editor or the formatter writes. */
function readLines(text: string): readonly Line[] {
  const withoutImports = text.replace(IMPORT, (lines) => lines.replace(/[^\n]/g, ''));
  return withoutImports
    .split('\n')
    .map((line, index) => ({ text: line.trim(), number: index + 1 }))
    .filter((line) => /\w/.test(line.text) && !COMMENT.test(line.text));
}

/** Pairs above the limit without an explanation, and explanations without such a pair. */
export function judgeShared(pairs: readonly SharedPair[], explained: readonly ExplainedPair[]): readonly string[] {
  const large = pairs.filter(({ lines }) => lines > PAIR_LINES);
  return [
    ...large
      .filter((pair) => !explained.some((one) => explains(one, pair)))
      .map(({ lines, runs }) => `${lines} lines stand twice: ${runs.map(({ at }) => at.join(' and ')).join('; ')}`),
    ...explained
      .filter((one) => !large.some((pair) => explains(one, pair)))
      .map(({ files }) => `explained, but ${files.join(' and ')} share no more than ${PAIR_LINES} lines`),
  ];
}

function explains({ files: [a, b] }: ExplainedPair, { files: [left, right] }: SharedPair): boolean {
  return (left.startsWith(a) && right.startsWith(b)) || (left.startsWith(b) && right.startsWith(a));
}
