/** A part of a string to be replaced; `start` equals `end` for an insertion. Offsets are string indices. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** The edits in the order of their places; edits at one place keep their order. */
function inOrder(edits: readonly Edit[]): readonly Edit[] {
  return [...edits].sort((a, b) => a.start - b.start || a.end - b.end);
}

/**
 * Applies the edits to the text.
 *
 * @throws Error for overlapping edits: a bug of a rule, and no file may be written then
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

/** The place in the original text of a place in the edited text. */
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
