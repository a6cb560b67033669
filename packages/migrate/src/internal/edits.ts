/** A part of a string to be replaced; `start` equals `end` for an insertion. Offsets are those of JavaScript strings. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** The edits in the order of their places; those at one place stay in the order in which they were made. */
function inOrder(edits: readonly Edit[]): readonly Edit[] {
  return [...edits].sort((a, b) => a.start - b.start || a.end - b.end);
}

/**
 * The text with the edits done.
 *
 * @throws Error for edits that overlap: a mistake of a rule, and nothing may be written then
 */
export function applyEdits(text: string, edits: readonly Edit[]): string {
  let done = '';
  let at = 0;
  for (const { start, end, text: replacement } of inOrder(edits)) {
    if (start < at) throw new Error(`edits overlap at ${start}`);
    done += text.slice(at, start) + replacement;
    at = end;
  }
  return done + text.slice(at);
}

/** Where a place of an edited text was before the edits. */
export function placeBefore(edits: readonly Edit[], place: number): number {
  let shift = 0;
  for (const { start, end, text } of inOrder(edits)) {
    const from = start + shift;
    if (place < from) break;
    if (place < from + text.length) return start;
    shift += text.length - (end - start);
  }
  return place - shift;
}
