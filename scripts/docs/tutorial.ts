/** The steps of docs/tutorial.md as data, so that a test can do what its reader does. */

/** A command with the output that the page shows below it. */
export interface ShownCommand {
  readonly line: string;
  /** The lines of the output; `…` stands for any characters. */
  readonly output: readonly string[];
}

export type Action =
  | { readonly kind: 'file'; readonly path: string; readonly text: string }
  | { readonly kind: 'edit'; readonly path: string; readonly from: string; readonly to: string }
  | { readonly kind: 'command'; readonly command: ShownCommand };

export interface Step {
  readonly title: string;
  readonly actions: readonly Action[];
  /** Bold labels at the start of a paragraph: `Test`, `Console`. */
  readonly labels: readonly string[];
}

interface Fence {
  readonly language: string;
  readonly path: string;
  readonly text: string;
}

/** Splits a page into its numbered sections, and each section into files to write, edits, and commands with their output. */
export function readSteps(page: string): readonly Step[] {
  return page
    .split(/^## (?=\d+\. )/m)
    .slice(1)
    .map((section) => {
      const text = section.split(/^## /m)[0] ?? '';
      return {
        title: text.split('\n')[0] ?? '',
        actions: actionsOf(fencesOf(text)),
        labels: [...text.matchAll(/^\*\*(\w+)\.\*\* /gm)].map(([, label = '']) => label),
      };
    });
}

function fencesOf(text: string): readonly Fence[] {
  return [...text.matchAll(/^```(\w+)(?: (\S+))?\n(.*?)^```$/gms)].map(([, language = '', path = '', body = '']) => ({
    language,
    path,
    text: body,
  }));
}

function actionsOf(fences: readonly Fence[]): readonly Action[] {
  return fences.flatMap(({ language, path, text }, index): readonly Action[] => {
    if (language === 'diff') return [{ kind: 'edit', path, from: sideOf(text, '-'), to: sideOf(text, '+') }];
    if (path !== '') return [{ kind: 'file', path, text }];
    if (language !== 'sh') return [];
    const next = fences[index + 1];
    const output = next?.language === 'text' ? next.text.trimEnd().split('\n') : [];
    const lines = text.trimEnd().split('\n');
    return lines.map((line, at) => ({
      kind: 'command',
      command: { line, output: at === lines.length - 1 ? output : [] },
    }));
  });
}

function sideOf(diff: string, sign: '-' | '+'): string {
  return diff
    .split('\n')
    .filter((line) => line.startsWith(sign))
    .map((line) => line.slice(1))
    .join('\n');
}

/** The words of a shell line with plain words and words in single or double quotation marks. */
export function wordsOf(line: string): readonly string[] {
  return [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, plain]) => double ?? single ?? plain ?? '',
  );
}
