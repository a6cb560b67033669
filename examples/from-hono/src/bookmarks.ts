export interface Bookmark {
  readonly id: string;
  readonly url: string;
  readonly owner: string;
}

/** The data of the application. Moving routes from Hono changes nothing here. */
export class Bookmarks {
  readonly #rows = new Map<string, Bookmark>();

  add(url: string, owner: string): Bookmark {
    const bookmark = { id: String(this.#rows.size + 1), url, owner };
    this.#rows.set(bookmark.id, bookmark);
    return bookmark;
  }

  of(owner: string): readonly Bookmark[] {
    return [...this.#rows.values()].filter((row) => row.owner === owner);
  }

  /** The bookmark of that owner; bookmarks of other users count as absent. */
  find(id: string, owner: string): Bookmark | undefined {
    const found = this.#rows.get(id);
    return found?.owner === owner ? found : undefined;
  }

  remove(id: string, owner: string): boolean {
    return this.find(id, owner) !== undefined && this.#rows.delete(id);
  }
}

/** The address in a request body, or `undefined` if absent. */
export function urlOf(body: unknown): string | undefined {
  const { url } = (body ?? {}) as { readonly url?: unknown };
  return typeof url === 'string' && URL.canParse(url) ? url : undefined;
}
