/** Maximum length of text on a page; a longer name hides the rest of a consent page. */
const MAX_SHOWN = 256;
/**
 * Control and format characters, line and paragraph separators, and lone surrogates: NUL, direction marks and overrides (Unicode Standard
 * Annex 9), zero-width spaces, tags. The joiners U+200C and U+200D are part of words and emoji.
 */
const NOT_SHOWN = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u;

/** True if a value is text that a page can show unchanged. It may contain markup: a page must escape it. */
export function isShownText(value: unknown): value is string {
  return typeof value === 'string' && value.length <= MAX_SHOWN && value.trim() !== '' && !NOT_SHOWN.test(value);
}
