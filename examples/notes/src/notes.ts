/** A note for clients. */
export interface Note {
  readonly id: string;
  readonly title: string;
  readonly text: string;
  readonly authorId: string;
}

export type NoteInput = Pick<Note, 'title' | 'text'>;

/** Notes in memory: each instance of the function has separate notes. */
export class NoteStore {
  readonly #notes = new Map<string, Note>();
  #count = 0;

  add(input: NoteInput, authorId: string): Note {
    this.#count += 1;
    return this.put(`note-${this.#count}`, input, authorId);
  }

  put(id: string, { title, text }: NoteInput, authorId: string): Note {
    const note = { id, title, text, authorId };
    this.#notes.set(id, note);
    return note;
  }

  get(id: string): Note | undefined {
    return this.#notes.get(id);
  }

  list(limit: number): Note[] {
    return [...this.#notes.values()].slice(0, limit);
  }

  remove(id: string): boolean {
    return this.#notes.delete(id);
  }
}
