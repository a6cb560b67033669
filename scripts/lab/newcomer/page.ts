/** The steps of a page, in their order: commands to run and files to create. */
export type PageStep =
  | { readonly kind: 'command'; readonly text: string }
  | { readonly kind: 'file'; readonly name: string; readonly text: string };

/** The maximum number of commands on the page `start.md` until the first test is green. */
export const MOST_COMMANDS = 10;
export const MOST_LINES = 40;

/** The steps of a Markdown page up to a heading: every line of a `sh` block, and every block that names a file. */
export function stepsOf(markdown: string, until: string): readonly PageStep[] {
  const [before = ''] = markdown.split(`\n${until}\n`);
  const steps: PageStep[] = [];
  for (const [, language, name = '', text = ''] of before.matchAll(/^```(\w+)[ ]?(\S*)\n([\s\S]*?)^```$/gm)) {
    if (language === 'sh') {
      for (const line of text.trim().split('\n')) steps.push({ kind: 'command', text: line });
    } else if (name !== '') steps.push({ kind: 'file', name, text });
  }
  return steps;
}

/** The number of commands that a reader types, and of lines of code that they write. */
export function effortOf(steps: readonly PageStep[]): { readonly commands: number; readonly lines: number } {
  const commands = steps.flatMap((step) => (step.kind === 'command' ? step.text.split('&&') : []));
  const code = steps.flatMap((step) => (step.kind === 'file' ? step.text.split('\n') : []));
  return { commands: commands.length, lines: code.filter((line) => line.trim() !== '').length };
}
