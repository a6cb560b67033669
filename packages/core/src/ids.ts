/** Where the framework gets request ids from. */
export interface IdGenerator {
  newId(): string;
}

/** Random UUIDs (RFC 9562, version 4). */
export const randomIds: IdGenerator = {
  newId: () => crypto.randomUUID(),
};
