import { EXCEPTIONS, type WordException } from './exceptions.js';
import { BROKEN, passagesOf } from './passages.js';
import { PATTERNS, type Pattern, type Place } from './patterns.js';

/** A phrase that was found. */
export interface Finding {
  readonly file: string;
  readonly line: number;
  readonly phrase: string;
  readonly pattern: Pattern;
}

/** The phrases of a Markdown file or a source that readers stop at. */
export function findPhrases(file: string, text: string): readonly Finding[] {
  const found = proseOf(file, text).flatMap(({ place, prose, offsets }) =>
    PATTERNS.filter(({ places }) => places === undefined || places.includes(place)).flatMap((pattern) =>
      [...prose.matchAll(pattern.find)].map((match) => ({ pattern, phrase: match[0], at: offsets[match.index] ?? 0 })),
    ),
  );
  return found
    .sort((a, b) => a.at - b.at)
    .map(({ pattern, phrase, at }) => ({ file, pattern, phrase, line: text.slice(0, at).split('\n').length }));
}

interface Prose {
  readonly place: Place;
  /** One line for each passage. */
  readonly prose: string;
  /** The offset in the file of each character. */
  readonly offsets: readonly number[];
}

/** The prose of a file, by place, so that each pattern is run once. */
function proseOf(file: string, text: string): readonly Prose[] {
  const byPlace = new Map<Place, { place: Place; prose: string; offsets: number[] }>();
  for (const { place, text: raw, start } of passagesOf(file, text)) {
    const known = byPlace.get(place) ?? { place, prose: '', offsets: [] };
    byPlace.set(place, known);
    let isStart = true;
    for (let index = 0; index < raw.length; index += 1) {
      if (raw[index] === BROKEN || (isStart && raw[index] === ' ')) continue;
      isStart = false;
      known.offsets.push(start + index);
      known.prose += raw[index];
    }
    known.offsets.push(start + raw.length);
    known.prose += '\n';
  }
  return [...byPlace.values()];
}

/** The findings without those that have a reason, and exceptions that nothing needs. */
export function judge(findings: readonly Finding[], exceptions = EXCEPTIONS): readonly string[] {
  const used = new Set<WordException>();
  const left = findings.filter((finding) => {
    const known = exceptions.find(({ file, phrase }) => file === finding.file && phrase === finding.phrase);
    if (known) used.add(known);
    return !known;
  });
  return [
    ...left.map(({ file, line, phrase, pattern }) => `${file}:${line}: "${phrase}"; write ${pattern.write}`),
    ...exceptions
      .filter((exception) => !used.has(exception))
      .map(({ file, phrase }) => `${file}: "${phrase}" is not there any more; remove its exception`),
  ];
}

/** The exceptions of the files below the paths; all without any. */
export function exceptFor(paths: readonly string[]): readonly WordException[] {
  return EXCEPTIONS.filter(({ file }) => isUnder(file, paths));
}

/** True if a file is one of the paths or in one of these folders; without any path always. */
export function isUnder(file: string, paths: readonly string[]): boolean {
  return paths.length === 0 || paths.some((path) => file === path || file.startsWith(`${path}/`));
}
