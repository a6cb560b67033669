/** A sentence that begins in the middle of a line. */
interface SecondSentence {
  /** From 1. */
  readonly line: number;
  /** The column of its first character, from 0. */
  readonly column: number;
}

const FENCE = /^ *(?:`{3,}|~{3,})/;
/** Tables, quotations, headings, and definitions of links. */
const NOT_PROSE = /^\s*(?:\||>|#|\[[^\]]+\]: )/;
/** What marks a page that a script writes. */
const GENERATED = /^<!-- Made by `npm run docs`/m;
/** The mark of a list item, and its label: `- **Cost.**`. */
const LABEL = /^\s*(?:(?:[-*+]|\d+\.)\s+)?(?:\*\*[^*]+\*\*[.:]?\s*)?/;
/** The end of a sentence, closing marks, white space; then a capital, a number, code, a link or bold text. */
const BOUNDARY = /[.!?][)”"*_]*\s+(?=[(“"*_]*[A-Z0-9`[])/g;
/** A full stop after these does not end a sentence. */
const ABBREVIATION = /(?:\b(?:e\.g|i\.e|etc|vs|cf|No|Inc|approx)|\b[A-Z]|\.{2})\.[)”"*_]*\s+$/;

/** The sentences of a Markdown page that do not begin their line. A sentence on each line keeps the differences of two versions readable. */
function findSecondSentences(page: string): readonly SecondSentence[] {
  if (GENERATED.test(page)) return [];
  let isCode = false;
  let isComment = false;
  return page.split('\n').flatMap((text, index) => {
    if (FENCE.test(text)) isCode = !isCode;
    const isHidden = isCode || isComment;
    if (!isCode) isComment = (isComment || text.includes('<!--')) && !text.includes('-->');
    if (isHidden || FENCE.test(text) || NOT_PROSE.test(text)) return [];
    return startsIn(text).map((column) => ({ line: index + 1, column }));
  });
}

function startsIn(text: string): readonly number[] {
  const prose = blankQuoted(text);
  const from = LABEL.exec(prose)?.[0].length ?? 0;
  return [...prose.matchAll(BOUNDARY)]
    .filter(({ 0: end, index }) => index >= from && !ABBREVIATION.test(prose.slice(0, index) + end))
    .map(({ 0: end, index }) => index + end.length);
}

/** Code, quotations and comments have no sentences of ours. */
function blankQuoted(text: string): string {
  const dots = (part: string) => part[0] + '·'.repeat(part.length - 2) + part.at(-1);
  return text
    .replace(/<!--.*?-->/g, (part) => ' '.repeat(part.length))
    .replace(/`[^`]*`/g, dots)
    .replace(/“[^”]*”|(?<=^|[\s(])"[^"]*"/g, dots);
}

/** The findings of one file, for the gate. */
export function judgeSentences(file: string, page: string): readonly string[] {
  const lines = page.split('\n');
  return findSecondSentences(page).map(({ line, column }) => {
    const next = (lines[line - 1] ?? '').slice(column, column + 40);
    return `${file}:${line}: two sentences on one line; begin a new line before "${next}"`;
  });
}
