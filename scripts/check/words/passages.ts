import ts from 'typescript';
import type { Place } from './patterns.js';

/** A piece of prose. Everything in it that is not prose is blank, so that places keep their offsets. */
export interface Passage {
  readonly place: Place;
  readonly text: string;
  /** The offset of its first character in the file. */
  readonly start: number;
}

/** The prose of a Markdown file, or the comments and readable strings of a source. */
export function passagesOf(file: string, text: string): readonly Passage[] {
  if (file.endsWith('.md')) return pagePassages(text);
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, false, scriptKind(file));
  const strings = isProduct(file) ? stringsOf(source) : hasTitles(file) ? titlesOf(source) : [];
  return [...commentsOf(source), ...strings].sort((a, b) => a.start - b.start);
}

/** Tests and tools have sentences that are not ours; their comments and the titles of tests count. */
function isProduct(file: string): boolean {
  return /^packages\/[^/]+\/(?:src|console)\//.test(file);
}

function hasTitles(file: string): boolean {
  return file.endsWith('.test.ts');
}

function scriptKind(file: string): ts.ScriptKind {
  return file.endsWith('x') ? ts.ScriptKind.TSX : file.endsWith('.mjs') ? ts.ScriptKind.JS : ts.ScriptKind.TS;
}

const FENCE = /^( *)(`{3,}|~{3,})[^\n]*\n[\s\S]*?^\1\2[^\n]*$/gm;
/** The heading row of a table, and comments for machines. */
const NOT_PROSE = /^\|[^\n]*\|[ \t]*\n(?=\|[ :|-]+\|[ \t]*$)|<!--[\s\S]*?-->/gm;
const CELLS = /^\|.*$/;

function pagePassages(page: string): readonly Passage[] {
  const prose = blankInline(page.replace(FENCE, blank).replace(NOT_PROSE, blank));
  const passages: Passage[] = [];
  // A paragraph may be broken anywhere; a table has a passage for each cell.
  for (const { 0: paragraph, index } of prose.matchAll(
    /(?:^|(?<=\n))(?:\|[^\n]*|(?:(?!\||\s*\n|\s*[-*] |\s*\d+\. |#)[^\n]+\n?)+|[^\n]+(?:\n(?!\||\s*\n|\s*[-*] |\s*\d+\. |#)[^\n]+)*)/g,
  )) {
    if (!CELLS.test(paragraph)) passages.push({ place: 'page', text: joined(paragraph), start: index });
    else {
      for (const cell of paragraph.matchAll(/(?<=\|)[^|]+/g))
        passages.push({ place: 'page', text: cell[0], start: index + cell.index });
    }
  }
  return passages;
}

const COMMENT_START = /^(?:\/\*\*?|\/\/+)/;
const LINE_START = /(?<=\n)[ \t]*(?:\*(?!\/)|\/\/+)?/g;

function commentsOf(source: ts.SourceFile): readonly Passage[] {
  const { text } = source;
  const ranges = new Map<number, ts.CommentRange>();
  const visit = (node: ts.Node): void => {
    for (const range of ts.getLeadingCommentRanges(text, node.pos) ?? []) ranges.set(range.pos, range);
    for (const range of ts.getTrailingCommentRanges(text, node.end) ?? []) ranges.set(range.pos, range);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return joinLineComments(
    text,
    [...ranges.values()].sort((a, b) => a.pos - b.pos),
  ).map(([start, end]) => {
    const raw = text.slice(start, end).replace(COMMENT_START, blank).replace(/\*\/$/, blank).replace(LINE_START, blank);
    return { place: 'comment', text: joined(blankInline(blankTags(raw))), start };
  });
}

/** Line comments under each other are one passage. */
function joinLineComments(text: string, ranges: readonly ts.CommentRange[]): readonly (readonly [number, number])[] {
  const joinedRanges: [number, number][] = [];
  for (const { pos, end, kind } of ranges) {
    const last = joinedRanges.at(-1);
    const isLine = kind === ts.SyntaxKind.SingleLineCommentTrivia;
    if (last && isLine && text.startsWith('//', last[0]) && /^\n[ \t]*$/.test(text.slice(last[1], pos))) last[1] = end;
    else joinedRanges.push([pos, end]);
  }
  return joinedRanges;
}

/** Examples, addresses and directives are no prose. */
function blankTags(comment: string): string {
  return comment
    .replace(/@example[\s\S]*?(?=\n[ \t]*@\w|$)/g, blank)
    .replace(/@(?:see|param|throws|returns|default)\b/g, blank)
    .replace(/\b(?:biome-ignore|@ts-expect-error|eslint-disable)[^\n:]*/g, blank);
}

function stringsOf(source: ts.SourceFile): readonly Passage[] {
  const passages: Passage[] = [];
  const add = (text: string, start: number): void => {
    if (/[a-z]{2,}[,.;:]? [a-z]/i.test(text)) passages.push({ place: 'string', text: blankInline(text), start });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) || ts.isTypeNode(node)) return;
    if (ts.isStringLiteralLike(node) || ts.isTemplateExpression(node)) add(readable(node), node.getStart(source) + 1);
    if (ts.isJsxText(node)) add(node.text.trim(), node.getStart(source));
    ts.forEachChild(node, visit);
  };
  visit(source);
  return passages;
}

const TITLED = /^(?:describe|it|test)(?:\.(?:concurrent|each|only|skip))*(?=[<(`]|$)/;

/** The titles of tests and of their groups. */
function titlesOf(source: ts.SourceFile): readonly Passage[] {
  const passages: Passage[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && TITLED.test(node.expression.getText(source))) {
      const [title] = node.arguments;
      if (title && (ts.isStringLiteralLike(title) || ts.isTemplateExpression(title)))
        passages.push({ place: 'title', text: blankInline(readable(title)), start: title.getStart(source) + 1 });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return passages;
}

/** The text of a string; parts that are filled in are `{}`. */
function readable(node: ts.StringLiteralLike | ts.TemplateExpression): string {
  return ts.isStringLiteralLike(node)
    ? node.text
    : [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].join('{}');
}

/** Code spans, links' addresses and quotations. The back quotes stay: patterns see that there is code. */
function blankInline(text: string): string {
  return text
    .replace(/`[^`\n]*`/g, (span) => `\`${span.slice(1, -1).replace(/[^\n]/g, '·')}\``)
    .replace(/\]\([^)\s]*\)/g, (link) => `]${blank(link.slice(1))}`)
    .replace(/https?:\/\/\S+/g, blank)
    .replace(/“[^”]*”|(?<=\s|\()"[^"\n]{1,200}"/g, blank);
}

/** Stands for a blank that is not part of the prose. */
export const BROKEN = '\u0000';

/** Blanks in a row are one: phrases are broken over lines. */
function joined(text: string): string {
  return text.replace(/\n/g, ' ').replace(/ {2,}/g, (spaces) => ` ${BROKEN.repeat(spaces.length - 1)}`);
}

function blank(text: string): string {
  return text.replace(/[^\n]/g, ' ');
}
