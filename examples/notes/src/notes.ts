import type { MaybePromise } from '@sallyport/core';

/** A note for clients. */
export interface Note {
  readonly id: string;
  readonly title: string;
  readonly text: string;
  readonly authorId: string;
}

export type NoteInput = Pick<Note, 'title' | 'text'>;

/** The notes of all users: in memory for tests and the demo, in a table when deployed. */
export interface NoteStore {
  add(input: NoteInput, authorId: string): MaybePromise<Note>;
  put(id: string, input: NoteInput, authorId: string): MaybePromise<Note>;
  get(id: string): MaybePromise<Note | undefined>;
  list(limit: number): MaybePromise<Note[]>;
  /** @returns false if no note has this id */
  remove(id: string): MaybePromise<boolean>;
}

/** Notes in memory: each instance of the function has separate notes. */
export class MemoryNotes implements NoteStore {
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
