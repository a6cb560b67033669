/** Phrases that readers with another mother tongue have to guess, each with what to write instead. */
const PHRASES: readonly (readonly [phrase: RegExp, instead: string])[] = [
  [/, `[^`\n]*` say\b/g, 'for example `x`'],
  [/\b(?:in|out)side of\b/gi, 'inside, outside'],
  [/\bheld against\b/gi, 'compared with, validated with'],
  [/\bis no (?:text|object|JSON|list|error|function|number|base64|token)\b/g, 'is not a string, is not JSON'],
  [/\btold apart\b/gi, 'distinguished, recognized'],
  [/\bstands? in the\b/gi, 'is in the'],
  [/\b(?:hand|hands|handed) (?:it |them )?(?:on|to)\b/gi, 'pass to, pass on'],
  [/\bmend(?:s|ed)?\b/gi, 'fix, repair'],
  [/\bunder way\b/gi, 'in progress'],
];

const COMMENT = /\/\*[\s\S]*?\*\/|(?<=^\s*|[;{,)]\s+)\/\/[^\n]*/gm;
const CODE = /```[\s\S]*?```/g;

/** Phrases to replace in a Markdown file, or in the comments of a source file; each with its line and what to write instead. */
export function findUnplainWords(file: string, text: string): readonly string[] {
  const prose = file.endsWith('.md') ? text.replace(CODE, blank) : onlyComments(text);
  return PHRASES.flatMap(([phrase, instead]) =>
    [...prose.matchAll(phrase)].map(
      (match) => `${file}:${prose.slice(0, match.index).split('\n').length}: "${match[0]}"; write ${instead}`,
    ),
  );
}

/** The text with everything but its comments blanked, so that lines keep their numbers. */
function onlyComments(text: string): string {
  let prose = '';
  let end = 0;
  for (const match of text.matchAll(COMMENT)) {
    prose += blank(text.slice(end, match.index)) + match[0];
    end = match.index + match[0].length;
  }
  return prose;
}

function blank(text: string): string {
  return text.replace(/[^\n]/g, ' ');
}
